/** A value of the format; numbers are unsigned integers of 32 bits. */
type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value }

/** What a file is like beside its records. */
export interface MmdbShape {
  readonly ipVersion?: 4 | 6
  readonly recordSize?: 24 | 28 | 32
}

/**
 * Writes a small database in MaxMind's format (https://maxmind.github.io/MaxMind-DB/, 2.0).
 *
 * @param networks CIDR ranges, which do not overlap, and their records
 */
export function writeMmdb(
  networks: Readonly<Record<string, Value>>,
  { ipVersion = 6, recordSize = 28 }: MmdbShape = {},
): Buffer {
  const tree: (number | null | { data: number })[][] = [[null, null]]
  const data: Buffer[] = []
  let dataSize = 0
  for (const [network, record] of Object.entries(networks)) {
    const encoded = encode(record)
    const path = bitsOf(network, ipVersion)
    let node = 0
    for (const bit of path.slice(0, -1)) {
      const next = tree[node]?.[bit]
      if (typeof next === 'number') node = next
      else {
        ;(tree[node] as unknown[])[bit] = tree.length
        node = tree.length
        tree.push([null, null])
      }
    }
    ;(tree[node] as unknown[])[path.at(-1) ?? 0] = { data: dataSize }
    data.push(encoded)
    dataSize += encoded.length
  }
  const count = tree.length
  const toRecord = (entry: number | null | { data: number } | undefined): number =>
    typeof entry === 'number' ? entry : entry ? count + 16 + entry.data : count
  const nodes = tree.map(([left, right]) => encodeNode(toRecord(left), toRecord(right), recordSize))
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_790_000_000,
    database_type: 'Test-City',
    description: { en: 'Made by a test' },
    ip_version: ipVersion,
    languages: ['en'],
    node_count: count,
    record_size: recordSize,
  }
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
  return Buffer.concat([...nodes, Buffer.alloc(16), ...data, marker, encode(metadata)])
}

function encodeNode(left: number, right: number, size: 24 | 28 | 32): Buffer {
  if (size !== 28) return Buffer.concat([left, right].map((value) => toBytes(value, size / 8)))
  const shared = (((left >>> 24) & 15) << 4) | ((right >>> 24) & 15)
  return Buffer.concat([
    toBytes(left & 0xffffff, 3),
    Buffer.of(shared),
    toBytes(right & 0xffffff, 3),
  ])
}

function bitsOf(network: string, ipVersion: 4 | 6): number[] {
  const [address = '', length = ''] = network.split('/')
  const isV4 = !address.includes(':')
  if (!isV4 && ipVersion === 4) throw new Error(`${network} does not fit into a tree of IPv4`)
  const bytes = isV4 ? address.split('.').map(Number) : parseIpv6(address)
  const bits = bytes
    .flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((bit) => (byte >> bit) & 1))
    .slice(0, Number(length))
  return isV4 && ipVersion === 6 ? [...Array<number>(96).fill(0), ...bits] : bits
}

function parseIpv6(address: string): number[] {
  const [head = '', tail = ''] = address.split('::')
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
  const [before, after] = [groups(head), groups(tail)]
  const all = [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
  return all.flatMap((group) => [group >> 8, group & 255])
}

function encode(value: Value): Buffer {
  if (typeof value === 'string') return field(2, Buffer.from(value))
  if (typeof value === 'number') return field(6, toBytes(value, 4))
  if (typeof value === 'boolean') return control(14, value ? 1 : 0)
  if (Array.isArray(value)) return Buffer.concat([control(11, value.length), ...value.map(encode)])
  const entries = Object.entries(value).flatMap(([key, member]) => [encode(key), encode(member)])
  return Buffer.concat([control(7, entries.length / 2), ...entries])
}

function field(type: number, bytes: Buffer): Buffer {
  return Buffer.concat([control(type, bytes.length), bytes])
}

function control(type: number, size: number): Buffer {
  const [short, rest] =
    size < 29
      ? [size, []]
      : size < 285
        ? [29, [size - 29]]
        : [30, [(size - 285) >> 8, (size - 285) & 255]]
  return type < 8 ? Buffer.of((type << 5) | short, ...rest) : Buffer.of(short, type - 7, ...rest)
}

function toBytes(value: number, count: number): Buffer {
  const bytes = Buffer.alloc(count)
  bytes.writeUIntBE(value, 0, count)
  return bytes
}
