import { schemeOf } from '@quillgate/markdown/grammar'
import type { AllStrings } from '../i18n/strings.ts'

/** The link schemes that the renderer keeps by default. */
export const LINK_SCHEMES: readonly string[] = ['http', 'https', 'mailto', 'tel']

const HOST =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}[\p{L}\p{N}-]*\p{L}(?::\d{1,5})?(?=[/?#]|$)/u
const LOCAL_HOST = /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?(?=[/?#]|$)/i
const HOST_WITH_PORT = /^[\p{L}\p{N}.-]+:\d{1,5}(?=[/?#]|$)/u
const MAIL = /^[^\s@/:]+@[^\s@/:]+\.[^\s@/:.]+$/
// Matches names of files, such as `notes.html`. They are relative addresses, not hosts.
const FILE =
  /^[^/?#]+\.(?:html?|php|aspx?|pdf|txt|md|docx?|xlsx?|zip|png|jpe?g|gif|webp|svg|mp4)(?=[?#]|$)/i

/** The result of checking an entered address. */
export type CheckedAddress = { readonly address: string } | { readonly problem: string }

/** Adds a missing scheme to an entered address, and checks the address. */
export function checkAddress(
  value: string,
  schemes: readonly string[],
  strings: AllStrings,
): CheckedAddress {
  const completed = completeAddress(value.trim())
  const isWeb = /^https?:/i.test(completed)
  const address = isWeb ? completed.replaceAll(' ', '%20') : completed
  if (address === '') return { problem: strings.addressMissing }
  // A relative address has no scheme, so it is checked as https.
  if (!schemes.includes(schemeOf(address) ?? 'https')) {
    const allowed = schemes.map((scheme) => `${scheme}:`).join(', ')
    return { problem: strings.schemeRefused(schemeOf(address) ?? '', allowed) }
  }
  const written = schemeOf(address)
  const broken = /\s/.test(address) && !/^[/.#?]/.test(address)
  if (broken || (written !== null && !isWhole(address, written)))
    return { problem: strings.addressBroken }
  return { address }
}

function completeAddress(value: string): string {
  if (MAIL.test(value)) return `mailto:${value}`
  if (LOCAL_HOST.test(value)) return `http://${value}`
  if (HOST_WITH_PORT.test(value)) return `https://${value}`
  return HOST.test(value) && !FILE.test(value) ? `https://${value}` : value
}

/** For schemes other than http and https, any text after the scheme is complete. */
function isWhole(address: string, scheme: string): boolean {
  const rest = address.slice(address.indexOf(':') + 1)
  return /^https?$/.test(scheme)
    ? /^\/\/[^/]/.test(rest) && URL.canParse(address)
    : rest.trim() !== ''
}
