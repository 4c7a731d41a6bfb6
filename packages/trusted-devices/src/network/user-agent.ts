import bowser from 'bowser'

/** What a `User-Agent` header tells about a device. */
export interface UserAgentInfo {
  /** The header, cut to 512 characters. */
  readonly userAgent: string
  /** Browser with its main version, for example `Firefox 145`. */
  readonly browser: string | null
  /** Operating system, for example `Linux`. */
  readonly os: string | null
  /** `desktop`, `mobile`, `tablet`, `tv` or `bot`. */
  readonly deviceType: string | null
  /** A name for people, for example `Firefox on Linux`. */
  readonly name: string
}

const MAX_LENGTH = 512
const MAX_PART = 64
const PRODUCT = /^([A-Za-z][\w.-]{0,39})(?:\/([\d.]+))?/ // The first product of RFC 9110 §10.1.5, as in `curl/8.5.0`.

/**
 * Reads a `User-Agent` header. Only the first 512 characters count, which keeps hostile headers cheap. Never throws.
 *
 * @param header null when the request has none
 */
export function parseUserAgent(header: string | null): UserAgentInfo {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
  const userAgent = (header ?? '').replace(/[\x00-\x1f\x7f]/g, ' ').slice(0, MAX_LENGTH)
  if (userAgent.trim() === '') {
    return { userAgent: '', browser: null, os: null, deviceType: null, name: 'Unknown device' }
  }
  const { browser, os, platform } = bowser.parse(userAgent)
  const { name, version } = browser.name ? browser : productOf(userAgent)
  const product = short(name)
  const system = short(os.name)
  return {
    userAgent,
    browser: product && withVersion(product, version),
    os: system,
    deviceType: short(platform.type),
    name: describe(product, system),
  }
}

/** Programs that are no browsers name themselves; every browser calls itself Mozilla. */
function productOf(userAgent: string): { name?: string | undefined; version?: string | undefined } {
  const [, name, version] = PRODUCT.exec(userAgent) ?? []
  return name === 'Mozilla' ? {} : { name, version }
}

function describe(browser: string | null, system: string | null): string {
  if (browser && system) return `${browser} on ${system}`
  return browser ?? (system ? `Browser on ${system}` : 'Unknown device')
}

function withVersion(name: string, version: string | undefined): string {
  const major = /^\d{1,6}/.exec(version ?? '')?.[0]
  return major ? `${name} ${major}` : name
}

function short(text: string | undefined): string | null {
  return text ? text.slice(0, MAX_PART) : null
}
