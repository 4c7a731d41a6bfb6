import bowser from 'bowser'
import { stripControlCharacters } from './control-characters.ts'

/** The properties of a device from its `User-Agent` header. */
export interface UserAgentInfo {
  /** The `User-Agent` header, cut to 512 characters. */
  readonly userAgent: string
  /** The browser with its major version, for example `Firefox 145`. */
  readonly browser: string | null
  readonly os: string | null
  /** `desktop`, `mobile`, `tablet`, `tv` or `bot`. */
  readonly deviceType: string | null
  /** A name to display, for example `Firefox on Linux`. */
  readonly name: string
}

const UNKNOWN_DEVICE: UserAgentInfo = {
  userAgent: '',
  browser: null,
  os: null,
  deviceType: null,
  name: 'Unknown device',
}

const MAX_LENGTH = 512
const MAX_PART = 64
// Matches the first product (RFC 9110 §10.1.5), such as `curl/8.5.0`.
const PRODUCT = /^([A-Za-z][\w.-]{0,39})(?:\/([\d.]+))?/

/**
 * Parses a `User-Agent` header. Parses only the first 512 characters, so that malicious headers
 * cost little time. Never throws. If the header cannot be parsed, returns an unknown device.
 *
 * @param header null if the request has no such header
 */
export function parseUserAgent(header: string | null): UserAgentInfo {
  const userAgent = stripControlCharacters((header ?? '').slice(0, MAX_LENGTH))
  if (userAgent.trim() === '') return UNKNOWN_DEVICE
  try {
    return describe(userAgent)
  } catch {
    return UNKNOWN_DEVICE
  }
}

function describe(userAgent: string): UserAgentInfo {
  const { browser, os, platform } = bowser.parse(userAgent)
  const { name, version } = productOf(browser, userAgent)
  const product = short(name?.replace(/ for Android$/, ''))
  const system = short(os.name)
  const type = short(platform.type) ?? (system === 'Chrome OS' ? 'desktop' : null)
  return {
    userAgent,
    browser: product && withVersion(product, version),
    os: system,
    deviceType: type,
    name: nameOf(product, system),
  }
}

interface Product {
  readonly name?: string | undefined
  readonly version?: string | undefined
}

/**
 * Returns the name and version that bowser found. If bowser found no usable name, returns the first
 * product in the header. Ignores `Mozilla`, because every browser sends this name.
 */
function productOf(parsed: Product, userAgent: string): Product {
  // For `my-app/2.1 CFNetwork/…`, bowser returns all text before the last version as the name. A
  // name with a slash is therefore not used.
  if (parsed.name && !parsed.name.includes('/')) return parsed
  const [, name, version] = PRODUCT.exec(userAgent) ?? []
  return name === 'Mozilla' ? {} : { name, version }
}

function nameOf(browser: string | null, system: string | null): string {
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
