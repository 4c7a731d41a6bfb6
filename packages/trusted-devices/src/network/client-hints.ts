import { oneLine } from '../one-line.ts'
import { parseBoolean, parseString, parseStringList } from './structured-field.ts'

/** What the client hints of a request tell (https://wicg.github.io/ua-client-hints/). Only Chromium sends them. */
export interface ClientHints {
  /** The browser by the name of its maker, with its main version. */
  readonly browser: { readonly name: string; readonly version: string } | null
  /** Operating system, for example `Windows 11`. */
  readonly os: string | null
  /** For example `Pixel 8`; null on computers. */
  readonly model: string | null
  readonly isMobile: boolean | null
}

/**
 * What an answer asks for with `Accept-CH`: the hints that tell Windows 11 from 10 and name a phone. The others that
 * {@link readClientHints} uses come without being asked for.
 */
export const ACCEPT_CLIENT_HINTS = 'Sec-CH-UA-Platform-Version, Sec-CH-UA-Model'

const MAX_PART = 64

/** Reads the hints of a request. What is malformed says nothing. Never throws. */
export function readClientHints(headers: Headers): ClientHints {
  const brands =
    parseStringList(headers.get('sec-ch-ua')) ??
    parseStringList(headers.get('sec-ch-ua-full-version-list')) ??
    []
  return {
    browser: pickBrand(
      brands.map(({ value, parameters }) => ({ name: value, version: parameters.get('v') ?? '' })),
    ),
    os: toSystem(
      parseString(headers.get('sec-ch-ua-platform')),
      parseString(headers.get('sec-ch-ua-platform-version')),
    ),
    model: printable(parseString(headers.get('sec-ch-ua-model'))),
    isMobile: parseBoolean(headers.get('sec-ch-ua-mobile')),
  }
}

/** Browsers add a brand that does not exist, so that nobody relies on a fixed list: "Not_A Brand", "(Not(A:Brand". */
const MADE_UP = /\bnot\b.{0,3}a.{0,3}brand/i

/** As the `User-Agent` header is read. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['Google Chrome', 'Chrome'],
  ['YaBrowser', 'Yandex Browser'],
])

/** The brand that says most: a browser built on Chromium names itself, often Chrome, and Chromium. */
function pickBrand(brands: readonly NonNullable<ClientHints['browser']>[]): ClientHints['browser'] {
  const rank = ({ name }: { name: string }): number =>
    name === 'Chromium' ? 2 : name === 'Google Chrome' || name === 'HeadlessChrome' ? 1 : 0
  const named = brands
    .map(({ name, version }) => ({ name: printable(name) ?? '', version }))
    .filter(({ name }) => name !== '' && !MADE_UP.test(name.replaceAll('_', ' ')))
    .sort((a, b) => rank(a) - rank(b))
  const [best] = named
  return best ? { name: NAMES.get(best.name) ?? best.name, version: best.version } : null
}

const SYSTEMS: ReadonlyMap<string, string> = new Map([
  ['Android', 'Android'],
  ['Chrome OS', 'Chrome OS'],
  ['Chromium OS', 'Chrome OS'],
  ['iOS', 'iOS'],
  ['Linux', 'Linux'],
  ['macOS', 'macOS'],
  ['Windows', 'Windows'],
])
/** Versions of Windows before 10, by the minor version of the system's contract. */
const OLD_WINDOWS: ReadonlyMap<string, string> = new Map([
  ['1', '7'],
  ['2', '8'],
  ['3', '8.1'],
])

function toSystem(platform: string | null, version: string | null): string | null {
  const system = platform === null ? null : (SYSTEMS.get(platform) ?? null)
  const name = system === 'Windows' ? windowsName(version) : null
  return name === null ? system : `${system} ${name}`
}

/** The version is that of a contract of the system: https://learn.microsoft.com/microsoft-edge/web-platform/how-to-detect-win11 */
function windowsName(version: string | null): string | null {
  const [, major, minor] = /^(\d{1,5})(?:\.(\d{1,5}))?/.exec(version ?? '') ?? []
  if (major === undefined) return null
  if (Number(major) > 0) return Number(major) >= 13 ? '11' : '10'
  return OLD_WINDOWS.get(minor ?? '') ?? null
}

function printable(text: string | null): string | null {
  return text === null ? null : oneLine(text.slice(0, MAX_PART)).trim() || null
}
