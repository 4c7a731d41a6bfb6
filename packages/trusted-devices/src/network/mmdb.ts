import { type BigIntStats, promises as fs } from 'node:fs'
import {
  ConfigurationError,
  checks,
  field,
  type Input,
  type Logger,
  loadPackage,
  parse,
} from '@quillgate/server/core'
import { normalAddress } from '@quillgate/server/http'
import type { Response as MmdbRecord, Reader } from 'maxmind'
import { toCountryCode } from './countries.ts'
import type { FoundLocation, Locator } from './location.ts'

const OPTIONS = {
  /**
   * The language of city names, as the database spells it (`de`, `pt-BR`), or English if it lacks
   * that language.
   */
  language: field(
    checks.matching(
      /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/,
      'must be a language such as "de" or "pt-BR"',
    ),
    'en',
  ),
  /** Seconds between two checks of the file, which happen at logins only. */
  checkInterval: field(checks.seconds(), 10),
}

/** Options of {@link mmdb}. */
export type MmdbOptions = Input<typeof OPTIONS>

const SETTLED_AFTER = 1000 // Milliseconds since the last write.

/** A file that was read. */
interface OpenFile {
  readonly reader: Reader<MmdbRecord>
  readonly version: string
}

/**
 * Finds the place of a login in a database in MaxMind's format that you provide: GeoLite2 or GeoIP2
 * City and Country, DB-IP, IPinfo, and others. No data leaves the server. Needs the package
 * `maxmind`.
 *
 * The file is read into memory by `ready()` and again after it changed. Replace it by renaming.
 * While a file is being written in place, or if a new one is missing or damaged, the previous
 * content is used, and one warning is logged.
 *
 * @param path of the `.mmdb` file
 * @throws ConfigurationError for wrong options, and from `ready()` if the file cannot be read
 *
 * @example
 * createTrustedDevices({ …, locate: mmdb('./GeoLite2-City.mmdb', { language: 'de' }) })
 */
export function mmdb(path: string, options: MmdbOptions = {}): Locator {
  if (typeof path !== 'string' || path === '')
    throw new ConfigurationError('mmdb', 'needs the path of a file', path)
  const { language, checkInterval } = parse(OPTIONS, options, 'mmdb')
  const file = new WatchedFile(path, checkInterval * 1000)
  return {
    ready: ({ logger }) => file.open(logger),
    async locate({ address }): Promise<FoundLocation | null> {
      const normal = address === null ? null : normalAddress(address)
      const reader = normal === null ? null : await file.reader()
      if (!reader || normal === null) return null
      if (reader.metadata.ipVersion === 4 && normal.includes(':')) return null
      return readPlace(reader.get(normal), language)
    },
    close: () => file.close(),
  }
}

/** A database file in memory, read again after it changed. */
class WatchedFile {
  readonly #path: string
  /** Milliseconds between two checks. */
  readonly #interval: number
  #open: OpenFile | null = null
  #logger: Logger = console
  /** The version that was reported as unusable. */
  #refused = ''
  #checkedAt = 0
  #checking: Promise<void> | null = null

  constructor(path: string, interval: number) {
    this.#path = path
    this.#interval = interval
  }

  async open(logger: Logger): Promise<void> {
    this.#logger = logger
    if (this.#open) return
    this.#open = await openFile(this.#path).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'driver_missing') throw error
      const problem = `mmdb cannot use its file (${String(error)})`
      throw new ConfigurationError('locate', problem, this.#path)
    })
    this.#checkedAt = performance.now()
  }

  /** Returns the reader of the newest version, or null before `open` and after `close`. */
  async reader(): Promise<Reader<MmdbRecord> | null> {
    if (!this.#open) return null
    if (performance.now() - this.#checkedAt >= this.#interval) {
      this.#checkedAt = performance.now()
      this.#checking ??= this.#check().finally(() => {
        this.#checking = null
      })
    }
    await this.#checking
    return this.#open?.reader ?? null
  }

  async close(): Promise<void> {
    await this.#checking
    this.#open = null
  }

  async #check(): Promise<void> {
    const path = this.#path
    const found = await fs.stat(path, { bigint: true }).catch((error: unknown) => error as Error)
    const version = found instanceof Error ? String(found) : toVersion(found)
    if (version === this.#open?.version) return
    try {
      if (found instanceof Error) throw found
      if (isFresh(found)) return
      this.#open = await openFile(path)
      this.#refused = ''
    } catch (error) {
      // The file is being written. The next check reads it.
      if (error instanceof UnsettledFile) return
      if (this.#refused !== version)
        this.#logger.warn(`${path} changed and is unusable. The previous content is used.`, error)
      this.#refused = version
    }
  }
}

/** The file changed while it was read. */
class UnsettledFile extends Error {}

/**
 * Reads the whole file, and only as one version of it: half an old and half a new one would give
 * wrong places.
 */
async function openFile(path: string): Promise<OpenFile> {
  const { Reader } = await loadPackage('maxmind', 'mmdb', () => import('maxmind'))
  const file = await fs.open(path)
  try {
    const before = await file.stat({ bigint: true })
    const bytes = await file.readFile()
    const version = toVersion(await file.stat({ bigint: true }))
    if (toVersion(before) !== version) throw new UnsettledFile(`${path} changed while it was read`)
    return { reader: parseDatabase(Reader, bytes), version }
  } finally {
    await file.close()
  }
}

/** @throws Error if the bytes are no whole database */
function parseDatabase(Opener: typeof Reader, bytes: Buffer): Reader<MmdbRecord> {
  let reader: Reader<MmdbRecord>
  try {
    reader = new Opener<MmdbRecord>(bytes)
  } catch (error) {
    throw new Error('The file is no database in the format of MaxMind (.mmdb).', { cause: error })
  }
  // The reader looks only at the metadata at the end. The tree before it may be cut, or be part of
  // another file.
  const { searchTreeSize } = reader.metadata
  if (searchTreeSize > 0 && searchTreeSize + 16 < bytes.length) return reader
  throw new Error('The file is shorter than its search tree.')
}

/**
 * Returns true if the file may still be written. A time in the future comes from the clock of
 * another machine.
 */
function isFresh({ mtimeMs }: BigIntStats): boolean {
  const age = Date.now() - Number(mtimeMs)
  return age >= 0 && age < SETTLED_AFTER
}

function toVersion({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':')
}

/**
 * Reads the place in a record. Databases of this format share no schema: MaxMind and DB-IP nest
 * objects with names by language (`country.iso_code`, `city.names.de`), IPinfo and others are flat
 * (`country_code` or `country`, `city`).
 *
 * @param language of city names, or English if the database lacks it
 */
export function readPlace(record: unknown, language: string): FoundLocation | null {
  const { country, country_code: code, city } = members(record)
  const found = members(country)['iso_code'] ?? code ?? country
  const names = members(members(city)['names'])
  const name = (Object.hasOwn(names, language) ? names[language] : undefined) ?? names['en'] ?? city
  const place = { country: toCountryCode(found), city: textOf(name) }
  return place.country === null && place.city === null ? null : place
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
