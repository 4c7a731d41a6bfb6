import { stat } from 'node:fs/promises'
import {
  ConfigurationError,
  checks,
  field,
  type Input,
  isQuillgateError,
  type Logger,
  loadPackage,
  parse,
} from '@quillgate/server/core'
import type { Response as MmdbRecord, Reader } from 'maxmind'
import { toCountryCode } from './countries.ts'
import type { LocateAnswer, Locator } from './location.ts'

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
}

/**
 * Finds the place of a login in a database in MaxMind's format that you provide: GeoLite2 or GeoIP2
 * City and Country, DB-IP, IPinfo, and others. No data leaves the server. Needs the package
 * `maxmind`.
 *
 * The file is read into memory by `ready()`, and again at a login after it changed. Replace it by
 * renaming. While a new file is missing, incomplete or damaged, the previous content is used, and
 * one warning is logged.
 *
 * @param path of the `.mmdb` file
 * @throws ConfigurationError for wrong options, and from `ready()` if the file cannot be read
 *
 * @example
 * createTrustedDevices({ …, locate: mmdb('./GeoLite2-City.mmdb', { language: 'de' }) })
 */
export function mmdb(path: string, options: Input<typeof OPTIONS> = {}): Locator {
  if (typeof path !== 'string' || path === '')
    throw new ConfigurationError('mmdb', 'needs the path of a file', path)
  const { language } = parse(OPTIONS, options, 'mmdb')
  const file = new DatabaseFile(path)
  return {
    ready: ({ logger }) => file.open(logger),
    async locate({ address }) {
      const reader = address === null ? null : await file.reader()
      if (!reader || address === null) return null
      if (reader.metadata.ipVersion === 4 && address.includes(':')) return null
      return readPlace(reader.get(address), language)
    },
  }
}

/** A database file in memory, read again after it changed. */
class DatabaseFile {
  readonly #path: string
  #reader: Reader<MmdbRecord> | null = null
  /** The version of the file that was read last, usable or not. */
  #version = ''
  #logger: Logger = console
  #isReported = false
  #updating: Promise<void> | null = null

  constructor(path: string) {
    this.#path = path
  }

  async open(logger: Logger): Promise<void> {
    this.#logger = logger
    try {
      if (!this.#reader) await this.#read()
    } catch (error) {
      if (isQuillgateError(error)) throw error // The package is missing.
      const problem = `must be a readable database in the format of MaxMind (.mmdb): ${String(error)}`
      throw new ConfigurationError('mmdb', problem, this.#path)
    }
  }

  /** Returns the reader of the newest usable content, or null before `open`. */
  async reader(): Promise<Reader<MmdbRecord> | null> {
    this.#updating ??= this.#update().finally(() => {
      this.#updating = null
    })
    await this.#updating
    return this.#reader
  }

  async #update(): Promise<void> {
    if (!this.#reader) return
    try {
      await this.#read()
    } catch (error) {
      if (this.#isReported) return
      this.#isReported = true
      const text = `${this.#path} changed and is unusable. The previous content is used.`
      this.#logger.warn(text, error)
    }
  }

  /** Reads the file, unless it has not changed. @throws Error if it is not a whole database */
  async #read(): Promise<void> {
    const { ino, size, mtimeMs, ctimeMs } = await stat(this.#path)
    const version = [ino, size, mtimeMs, ctimeMs].join(':')
    if (version === this.#version && this.#reader) return
    this.#version = version
    const { open } = await loadPackage('maxmind', 'mmdb', () => import('maxmind'))
    const reader = await open<MmdbRecord>(this.#path)
    // The metadata is at the end of the file. The tree before it may be missing.
    if (!(reader.metadata.searchTreeSize > 0 && reader.metadata.searchTreeSize < size))
      throw new Error('The file is shorter than its search tree.')
    this.#reader = reader
    this.#isReported = false
  }
}

/**
 * Reads the place in a record. Databases of this format share no schema: MaxMind and DB-IP nest
 * objects with names by language (`country.iso_code`, `city.names.de`), IPinfo and others are flat
 * (`country_code` or `country`, `city`).
 *
 * @param language of city names, or English if the database lacks it
 */
export function readPlace(record: unknown, language: string): LocateAnswer {
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
