import { sqliteEngine } from '@quillgate/server/testing'
import type { TrustedDevice } from '@quillgate/trusted-devices'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { send } from '../support/client.ts'
import type { TestDevices } from '../support/create-devices.ts'
import { type House, openHouse } from '../support/house.ts'

const PROXY = '10.0.0.1'
const trustedProxies = ['10.0.0.0/8', 'fd00::/8']

let house: House
let asked: string[]
let devices: TestDevices
beforeEach(async () => {
  house = await openHouse(sqliteEngine())
  asked = []
  devices = house.reopenWith({
    trustedProxies,
    locate: (address) => {
      asked.push(address)
      return null
    },
  })
})
afterEach(() => house.close())

async function addressOf(headers: Record<string, string>, address = PROXY): Promise<string | null> {
  const request = new Request('http://localhost/login', { method: 'POST', headers })
  const { device } = await devices.login({ id: '1' }, { request, address }, { transport: 'bearer' })
  expect(
    (await devices.registry.list('1')).devices.find(({ uid }) => uid === device.uid)?.address,
  ).toBe(device.address)
  return device.address
}

const chain = (count: number, entry: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => entry(index)).join(', ')

describe('the client address of a login (S05)', () => {
  it.each([
    [
      'an entry of the client before that of the proxy',
      { 'x-forwarded-for': '1.1.1.1, 8.8.8.8' },
      '8.8.8.8',
    ],
    [
      'many entries of the client',
      { 'x-forwarded-for': `${'1.1.1.1, '.repeat(30)}8.8.8.8` },
      '8.8.8.8',
    ],
    ['entries in our own ranges', { 'x-forwarded-for': '1.1.1.1, 8.8.8.8, 10.0.0.2' }, '8.8.8.8'],
    ['a chain of only our proxies', { 'x-forwarded-for': '10.0.0.3, 10.0.0.2' }, '10.0.0.3'],
    ['text', { 'x-forwarded-for': 'not an address' }, PROXY],
    ['text before it', { 'x-forwarded-for': '<script>, 8.8.8.8' }, '8.8.8.8'],
    ['text after it', { 'x-forwarded-for': '8.8.8.8, nonsense' }, PROXY],
    ['SQL', { 'x-forwarded-for': "8.8.8.8'; DROP TABLE quillgate_device; --" }, PROXY],
    ['a URL', { 'x-forwarded-for': 'http://169.254.169.254/latest' }, PROXY],
    ['a port', { 'x-forwarded-for': '8.8.8.8:51234' }, '8.8.8.8'],
    ['brackets and a port', { 'x-forwarded-for': '[2001:db8::1]:443' }, '2001:db8::1'],
    ['brackets', { 'x-forwarded-for': '[2001:DB8:0:0::1]' }, '2001:db8::1'],
    ['IPv4 as IPv6', { 'x-forwarded-for': '::ffff:8.8.8.8' }, '8.8.8.8'],
    ['IPv4 as IPv6 in hexadecimal', { 'x-forwarded-for': '::FFFF:808:808' }, '8.8.8.8'],
    ['our proxy as IPv6', { 'x-forwarded-for': '8.8.8.8, ::ffff:10.0.0.9' }, '8.8.8.8'],
    ['a zone', { 'x-forwarded-for': 'fe80::1%eth0' }, 'fe80::1'],
    ['octal digits', { 'x-forwarded-for': '010.010.010.010' }, PROXY],
    ['one number', { 'x-forwarded-for': '134744072' }, PROXY],
    ['nothing', { 'x-forwarded-for': '' }, PROXY],
    ['commas', { 'x-forwarded-for': ',,,' }, PROXY],
    ['only Forwarded', { forwarded: 'for=1.1.1.1, for="[2001:db8::7]:4711";proto=https' }, PROXY],
    [
      'two headers that differ',
      { forwarded: 'for=1.1.1.1', 'x-forwarded-for': '8.8.8.8' },
      '8.8.8.8',
    ],
    ['a broken Forwarded', { forwarded: '"', 'x-forwarded-for': '8.8.8.8' }, '8.8.8.8'],
    ['an empty Forwarded', { forwarded: '', 'x-forwarded-for': '8.8.8.8' }, '8.8.8.8'],
    [
      'headers of other proxies',
      { 'x-real-ip': '1.1.1.1', 'true-client-ip': '1.1.1.1', 'client-ip': '1.1.1.1' },
      PROXY,
    ],
  ])('is found with %s', async (_what, headers, address) => {
    expect(await addressOf(headers)).toBe(address)
    expect(asked).toEqual(/^(10|fe80)/.test(address) ? [] : [address])
  })

  it('is read from the header named by proxyHeader', async () => {
    devices = house.reopenWith({ trustedProxies, proxyHeader: 'x-real-ip' })
    const headers = { 'x-real-ip': '8.8.8.8', 'x-forwarded-for': '1.1.1.1' }
    expect(await addressOf(headers)).toBe('8.8.8.8')
  })

  it('is the socket address if no proxy is trusted, whatever the headers contain', async () => {
    const headers = {
      'x-forwarded-for': '1.1.1.1',
      forwarded: 'for=1.1.1.1',
      'x-real-ip': '1.1.1.1',
    }
    expect(await addressOf(headers, '203.0.113.9')).toBe('203.0.113.9')
    expect(asked).toEqual(['203.0.113.9'])
  })

  it.each([
    ['10,000 addresses', chain(10_000, (index) => `9.9.${index >> 8}.${index & 255}`), '9.9.39.15'],
    [
      '10,000 of our own addresses',
      chain(10_000, (index) => `10.9.${index >> 8}.${index & 255}`),
      '10.9.38.208',
    ],
    [
      '10,000 in IPv6',
      chain(10_000, (index) => `[2001:db8::${index.toString(16)}]:80`),
      '2001:db8::270f',
    ],
    ['1 MB of text', 'a'.repeat(1_000_000), PROXY],
    ['1 MB of commas', ','.repeat(1_000_000), PROXY],
    ['1 MB of brackets', '['.repeat(1_000_000), PROXY],
    ['1 MB of digits', '1.'.repeat(500_000), PROXY],
  ])('is found at the end of %s', async (_what, value, address) => {
    expect(await addressOf({ 'x-forwarded-for': value })).toBe(address)
  })

  it('is found with hostile headers of every other kind', async () => {
    const big = 'x'.repeat(1_000_000)
    const names = ['user-agent', 'x-forwarded-proto', 'x-forwarded-host', 'cookie']
    expect(await addressOf(Object.fromEntries(names.map((name) => [name, big])))).toBe(PROXY)
  })
})

describe('an alarm (S05)', () => {
  it('is not suppressed by a Forwarded header of the client', async () => {
    devices = house.reopenWith({
      trustedProxies,
      locate: (address) => ({ country: address === '203.0.113.5' ? 'DE' : 'RU' }),
    })
    const suspicious: TrustedDevice[] = []
    devices.signals.suspiciousLogin.connect(({ device }) => void suspicious.push(device))
    await addressOf({ 'x-forwarded-for': '203.0.113.5' })
    for (const forwarded of ['for=203.0.113.5', '"', '', 'for=unknown']) {
      await addressOf({ 'x-forwarded-for': '198.51.100.7', forwarded })
      expect(suspicious, forwarded).toMatchObject([{ country: 'RU', address: '198.51.100.7' }])
      await devices.registry.revoke('1', suspicious.pop()?.uid ?? '')
    }
  })
})

describe('the login limit (S05)', () => {
  it('counts the real client: another header per attempt allows no more attempts', async () => {
    devices = house.reopenWith({ trustedProxies, settings: { loginRateLimit: '3/minute' } })
    const statusOf = async (headers: Record<string, string>, address: string): Promise<number> => {
      const json = { username: 'ada', password: 'wrong' }
      return (await send(devices, 'POST', '/trusted-devices/token', { address, headers, json }))
        .status
    }
    for (const [address, prefix] of [
      [PROXY, '8.8.8.8'],
      ['203.0.113.9', ''],
    ] as const) {
      const statuses: number[] = []
      for (let index = 0; index < 5; index++) {
        const value =
          prefix === '' ? `1.1.1.${index}` : `1.1.1.${index}, ${prefix}:${50_000 + index}`
        statuses.push(await statusOf({ 'x-forwarded-for': value }, address))
      }
      expect(statuses).toEqual([401, 401, 401, 429, 429])
    }
  })
})
