import bowser from 'bowser'
import { oneLine } from '../one-line.ts'
import { type ClientHints, readClientHints } from './client-hints.ts'

/** What the headers of a request tell about a device. */
export interface UserAgentInfo {
  /** The `User-Agent` header, cut to 512 characters. */
  readonly userAgent: string
  /** Browser with its main version, for example `Firefox 145`. */
  readonly browser: string | null
  /** Operating system, for example `Linux`, or `Windows 11` where a client hint tells. */
  readonly os: string | null
  /** `desktop`, `mobile`, `tablet`, `tv` or `bot`. */
  readonly deviceType: string | null
  /** A name for people, for example `Firefox on Linux` or `Chrome on Pixel 8`. */
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
const PRODUCT = /^([A-Za-z][\w.-]{0,39})(?:\/([\d.]+))?/ // The first product of RFC 9110 §10.1.5, as in `curl/8.5.0`.

/**
 * Reads the `User-Agent` header and the client hints of a request. Bounded, and never throws: headers that cannot be
 * read make an unknown device.
 */
export function readUserAgent(headers: Headers): UserAgentInfo {
  try {
    return parseUserAgent(headers.get('user-agent'), readClientHints(headers))
  } catch {
    return UNKNOWN_DEVICE
  }
}

/**
 * Reads a `User-Agent` header. Only the first 512 characters count, which keeps hostile headers cheap. Never throws.
 *
 * @param header null when the request has none
 * @param hints say more of browsers whose header is the same for all
 */
export function parseUserAgent(
  header: string | null,
  hints: ClientHints = NO_HINTS,
): UserAgentInfo {
  const userAgent = oneLine((header ?? '').slice(0, MAX_LENGTH))
  if (userAgent.trim() === '') {
    return UNKNOWN_DEVICE
  }
  const { browser, os, platform } = bowser.parse(userAgent)
  const { name, version } = pickBrowser(browser, userAgent, hints)
  const product = short(name?.replace(/ for Android$/, ''))
  const system = short(hints.os ?? os.name)
  const type = short(platform.type) ?? (system === 'Chrome OS' ? 'desktop' : null)
  return {
    userAgent,
    browser: product && withVersion(product, version),
    os: system,
    // "Desktop site" changes the header of a phone, but not what kind of browser it is.
    deviceType: hints.isMobile && (type === null || type === 'desktop') ? 'mobile' : type,
    name: describe(product, hints.model ?? system),
  }
}

const NO_HINTS: ClientHints = { browser: null, os: null, model: null, isMobile: null }

interface Product {
  readonly name?: string | undefined
  readonly version?: string | undefined
}

/** What calls itself only Chrome may be one of many browsers, which the hints tell apart. */
function pickBrowser(parsed: Product, userAgent: string, { browser }: ClientHints): Product {
  const isPlain = !parsed.name || parsed.name === 'Chrome' || parsed.name === 'Chromium'
  if (browser && isPlain) return browser
  // Of `my-app/2.1 CFNetwork/…` bowser takes all but the last version for the name.
  return parsed.name && !parsed.name.includes('/') ? parsed : productOf(userAgent)
}

/** Programs that are no browsers name themselves; every browser calls itself Mozilla. */
function productOf(userAgent: string): Product {
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
