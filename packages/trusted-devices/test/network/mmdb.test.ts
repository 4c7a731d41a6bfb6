import { mkdtemp, open, rename, rm, truncate, unlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteEngine } from '@quillgate/server/testing'
import { type Locator, mmdb } from '@quillgate/trusted-devices'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openContext } from '../../../server/src/http/context.ts'
import { BearerClient } from '../support/client.ts'
import { openHouse } from '../support/house.ts'
import { type MmdbShape, writeMmdb } from './mmdb-writer.ts'

const CITY = {
  '203.0.113.0/24': {
    country: { iso_code: 'DE', names: { en: 'Germany' } },
    city: { names: { en: 'Munich', de: 'München', 'pt-BR': 'Munique' } },
    location: { accuracy_radius: 20 },
  },
  '198.51.100.0/25': { country: { iso_code: 'FR' }, registered_country: { iso_code: 'US' } },
  '192.0.2.0/24': { registered_country: { iso_code: 'US' }, traits: { is_anycast: true } },
  '2001:db8::/32': { country: { iso_code: 'JP' }, city: { names: { en: 'Tokyo' } } },
}

let folder: string
let file: string
let warnings: string[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quillgate-mmdb-'))
  file = join(folder, 'places.mmdb')
  warnings = []
})
afterEach(() => rm(folder, { recursive: true }))

const logger = { warn: (message: string) => void warnings.push(message), error: () => {} }

/** Writes it as if some time ago: what was written this second may not be whole yet. */
async function write(bytes: Uint8Array, path = file): Promise<void> {
  await writeFile(path, bytes)
  await age(path)
}

let hours = 100
async function age(path = file): Promise<void> {
  const time = new Date(Date.now() - --hours * 3_600_000)
  await utimes(path, time, time)
}

async function start(
  networks: Parameters<typeof writeMmdb>[0],
  options: Parameters<typeof mmdb>[1] = {},
  shape: MmdbShape = {},
) {
  await write(writeMmdb(networks, shape))
  const locator = mmdb(file, options)
  await locator.ready?.({ logger })
  return locator
}

function ask(locator: Locator, address: string | null) {
  const context = openContext(new Request('http://localhost/'))
  return locator.locate({
    address,
    isFromTrustedProxy: false,
    context,
    signal: AbortSignal.timeout(1000),
  })
}

describe('mmdb', () => {
  it.each([24, 28, 32] as const)(
    'finds country and city, in a tree of %s bits',
    async (recordSize) => {
      const locator = await start(CITY, {}, { recordSize })
      expect(await ask(locator, '203.0.113.77')).toEqual({ country: 'DE', city: 'Munich' })
      expect(await ask(locator, '2001:db8:1::1')).toEqual({ country: 'JP', city: 'Tokyo' })
      expect(await ask(locator, '198.51.100.7')).toEqual({ country: 'FR', city: null })
    },
  )

  it.each([null, '198.51.100.200', '8.8.8.8', '2001:db9::1', '192.0.2.1'])(
    'knows nothing of %j',
    async (address) => {
      expect(await ask(await start(CITY), address)).toBeNull()
    },
  )

  it('takes the language of cities, or English', async () => {
    expect(await ask(await start(CITY, { language: 'de' }), '203.0.113.77')).toMatchObject({
      city: 'München',
    })
    expect(await ask(await start(CITY, { language: 'pt-BR' }), '203.0.113.77')).toMatchObject({
      city: 'Munique',
    })
    expect(await ask(await start(CITY, { language: 'fr' }), '203.0.113.77')).toMatchObject({
      city: 'Munich',
    })
  })

  it('reads flat records of other providers, and a tree of IPv4 only', async () => {
    const flat = {
      '203.0.113.0/24': { country: 'Germany', country_code: 'DE', city: 'Berlin' },
      '8.8.8.0/24': { country: 'US' },
    }
    const locator = await start(flat, {}, { ipVersion: 4 })
    expect(await ask(locator, '203.0.113.1')).toEqual({ country: 'DE', city: 'Berlin' })
    expect(await ask(locator, '8.8.8.8')).toEqual({ country: 'US', city: null })
    expect(await ask(locator, '2001:db8::1')).toBeNull()
  })

  it('survives records of every other form', async () => {
    const odd = {
      '8.0.0.0/8': 'text',
      '9.0.0.0/8': [1, 2],
      '10.0.0.0/8': { country: [], city: { names: 7 } },
      '11.0.0.0/8': { country: 7 },
    }
    const locator = await start(odd)
    for (const address of ['8.1.1.1', '9.1.1.1', '10.1.1.1', '11.1.1.1'])
      expect(await ask(locator, address)).toBeNull()
  })

  it.each([
    ['', {}],
    [7 as unknown as string, {}],
    ['x.mmdb', { language: 'x/../y' }],
    ['x.mmdb', { language: '__proto__' }],
    ['x.mmdb', { checkInterval: 0 } as object],
  ])('refuses the options %j %j', (path, options) => {
    expect(() => mmdb(path, options)).toThrow(/mmdb/)
  })

  describe('at the start', () => {
    it.each<[string, () => Promise<void>]>([
      ['missing', async () => {}],
      ['empty', () => write(Buffer.alloc(0))],
      [
        'of another format',
        () => write(Buffer.from('<!doctype html><title>404</title>'.repeat(1000))),
      ],
      ['cut at its end', () => write(writeMmdb(CITY).subarray(0, -40))],
      ['cut at its start', () => write(writeMmdb(CITY).subarray(-220))],
    ])('a file that is %s is a ConfigurationError that names it', async (_how, prepare) => {
      await prepare()
      const locator = mmdb(file)
      const start = locator.ready?.({ logger })
      await expect(start).rejects.toMatchObject({ code: 'configuration_error' })
      await expect(start).rejects.toThrow(file)
    })

    it('a file of another format is said to be one', async () => {
      await write(Buffer.from('<!doctype html><title>404</title>'.repeat(1000)))
      await expect(mmdb(file).ready?.({ logger })).rejects.toThrow(
        /database in the format of MaxMind \(\.mmdb\)/,
      )
    })

    it('the instance does not start without it', async () => {
      const house = await openHouse(sqliteEngine())
      const devices = house.reopenWith({ locate: mmdb(file) })
      await expect(devices.ready()).rejects.toMatchObject({ code: 'configuration_error' })
      await write(writeMmdb(CITY))
      await devices.ready()
      await house.close()
    })
  })

  describe('while it runs, a file that', () => {
    const MOVED = {
      '203.0.113.0/24': { country: { iso_code: 'AT' }, city: { names: { en: 'Vienna' } } },
    }
    const before = { country: 'DE', city: 'Munich' }
    const after = { country: 'AT', city: 'Vienna' }

    it('is replaced by renaming is read', async () => {
      const locator = await start(CITY)
      expect(await ask(locator, '203.0.113.1')).toEqual(before)
      await write(writeMmdb(MOVED), `${file}.new`)
      await rename(`${file}.new`, file)
      expect(await ask(locator, '203.0.113.1')).toEqual(after)
      expect(warnings).toEqual([])
    })

    it('is written in place is read when it is whole, and the one before until then', async () => {
      const locator = await start(CITY)
      const bytes = writeMmdb(MOVED)
      const handle = await open(file, 'w')
      for (let written = 0; written < bytes.length; written += 10) {
        await handle.write(bytes.subarray(written, written + 10))
        expect(await ask(locator, '203.0.113.1')).toEqual(
          written + 10 >= bytes.length ? after : before,
        )
      }
      await handle.close()
      expect(warnings).toHaveLength(1)
    })

    it.each<[string, () => Promise<void>]>([
      ['is cut', () => truncate(file, 300)],
      ['is emptied', () => truncate(file, 0)],
      ['becomes something else', () => writeFile(file, 'Not found. '.repeat(500))],
    ])('%s leaves the one before in use, and is told once', async (_how, damage) => {
      const locator = await start(CITY)
      await damage()
      await age()
      for (let login = 0; login < 5; login++)
        expect(await ask(locator, '203.0.113.1')).toEqual(before)
      expect(warnings).toHaveLength(1)
      expect(warnings[0]).toContain(file)
      await write(writeMmdb(MOVED))
      expect(await ask(locator, '203.0.113.1')).toEqual(after)
      expect(warnings).toHaveLength(1)
    })

    it('is removed leaves it in use, and is told once', async () => {
      const locator = await start(CITY)
      await unlink(file)
      for (let login = 0; login < 5; login++)
        expect(await ask(locator, '203.0.113.1')).toEqual(before)
      expect(warnings).toHaveLength(1)
      await write(writeMmdb(MOVED))
      expect(await ask(locator, '203.0.113.1')).toEqual(after)
    })

    it('is replaced under many logins at once gives each an answer', async () => {
      const locator = await start(CITY)
      await write(writeMmdb(MOVED))
      const answers = await Promise.all(
        Array.from({ length: 200 }, () => ask(locator, '203.0.113.1')),
      )
      expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
        new Set([JSON.stringify(after)]),
      )
    })
  })

  it('gives a login its place; damage inside of the file leaves the place unknown', async () => {
    const house = await openHouse(sqliteEngine())
    const bytes = writeMmdb(CITY)
    await write(bytes)
    const devices = house.reopenWith({ locate: mmdb(file), logger })
    const login = async (address: string) => {
      const client = new BearerClient(devices, address)
      expect((await client.login()).status).toBe(200)
      return (await devices.registry.list('1')).devices.find(({ uid }) => uid === client.uid)
    }
    expect(await login('203.0.113.5')).toMatchObject({ country: 'DE', city: 'Munich' })
    expect(await login('10.0.0.5')).toMatchObject({ country: null, city: null })
    const pointers = bytes.indexOf(Buffer.alloc(16)) + 16
    await write(
      Buffer.concat([bytes.subarray(0, pointers), bytes.subarray(pointers).fill(0x3f, 0, 200)]),
    )
    expect(await login('203.0.113.5')).toMatchObject({ country: null })
    await house.close()
  })
})
