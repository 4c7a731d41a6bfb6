import { BlockList, isIP } from 'node:net'

/** IANA special-purpose addresses that are not globally reachable (RFC 6890 and its registries). */
const SPECIAL = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/127',
  '64:ff9b:1::/48',
  '100::/64',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
] as const

const special = new BlockList()
for (const range of SPECIAL) {
  const [network = '', prefix] = range.split('/')
  special.addSubnet(network, Number(prefix), network.includes(':') ? 'ipv6' : 'ipv4')
}

/**
 * Returns whether an address may be looked up. Private, local and multicast addresses have no
 * place, and must not be sent to others. The documentation ranges count as public.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && !special.check(address, family === 4 ? 'ipv4' : 'ipv6')
}
