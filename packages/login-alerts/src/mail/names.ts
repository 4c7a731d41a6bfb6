import bowser from 'bowser'
import { plainName } from './plain-text.ts'

// The names of Chromium browsers in client hints, where `bowser` has another name or none.
const BRANDS = [
  ...[
    '360 Browser',
    'AVG Secure Browser',
    'Arc',
    'Atom',
    'Avast Secure Browser',
    'CCleaner Browser',
    'Coc Coc',
  ],
  ...[
    'Comet',
    'DuckDuckGo',
    'Ecosia',
    'HeadlessChrome',
    'Huawei Browser',
    'Iron',
    'Microsoft Edge WebView2',
  ],
  ...[
    'Android WebView',
    'Mi Browser',
    'Norton Private Browser',
    'Norton Secure Browser',
    'Opera Air',
    'Opera GX',
  ],
  ...[
    'Opera Mini',
    'OperaMobile',
    'Oculus Browser',
    'Samsung Internet',
    'Sidekick',
    'Ulaa',
    'Wavebox',
    'YaBrowser',
  ],
]

const BROWSERS: ReadonlySet<string> = new Set([...Object.values(bowser.BROWSER_MAP), ...BRANDS])
const SYSTEMS: ReadonlySet<string> = new Set(Object.values(bowser.OS_MAP))

/** A single word, as programs call themselves: `my-app`, `Harbour2`. */
const PROGRAM = /^[A-Za-z][A-Za-z0-9]{0,15}(?:[-_][A-Za-z0-9]{1,8})?$/
const MODEL = /^[A-Za-z0-9+()-]+(?: [A-Za-z0-9+()-]+){0,3}$/
const OWN_NAME = /^[\p{L}\p{M}\p{N}'’&+()_-]+(?: [\p{L}\p{M}\p{N}'’&+()_-]+){0,4}$/u

/**
 * The browser as a mail may show it: one that is known by its name, or a program of one word. Null
 * for whatever else a request called itself, for it may be the letter of a stranger.
 */
export function shownBrowser(text: string): string | null {
  const [, name = text] = /^(.*) \d{1,4}$/u.exec(text) ?? []
  return BROWSERS.has(name) || isProgram(name) ? text : null
}

/** The operating system, if it is a known one. */
export function shownSystem(text: string): string | null {
  return SYSTEMS.has(text.replace(/ \d{1,2}(?:\.\d{1,2})?$/, '')) || SYSTEMS.has(text) ? text : null
}

/**
 * The name of a device that may be its owner's word, or one that was made of what a request said: a
 * browser on a system or model, or a few words that make no sentence, no link and no telephone
 * number. Else null.
 */
export function shownName(text: string): string | null {
  const [, browser, place] = /^(.+) on (.+)$/u.exec(text) ?? []
  if (browser !== undefined && place !== undefined) {
    return (browser === 'Browser' || shownBrowser(browser) !== null) && isModel(place) ? text : null
  }
  const isShort = OWN_NAME.test(text) && [...text].length <= 32
  return isShort && !hasLongNumber(text) && plainName(text) === text ? text : null
}

function isProgram(text: string): boolean {
  return PROGRAM.test(text) && !hasLongNumber(text)
}

function isModel(text: string): boolean {
  return (
    shownSystem(text) !== null || (MODEL.test(text) && text.length <= 24 && !hasLongNumber(text))
  )
}

/**
 * Five digits can be the beginning of a telephone number, also with what stands between them there.
 */
function hasLongNumber(text: string): boolean {
  return /\p{N}{5}/u.test(text.replace(/[\s()+_'’&-]+/gu, ''))
}
