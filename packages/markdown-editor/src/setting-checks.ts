import { ConfigurationError } from '@quillgate/server/core'
import { parseRate } from '@quillgate/server/http'
import { toCssLength } from './contract/css-length.ts'
import { isToolbarItem, type ToolbarItem } from './contract/toolbar.ts'
import { toMediaType } from './contract/upload-types.ts'
import { isActiveType, isCheckableType } from './media/upload/media-types.ts'
import { pathTemplateProblem } from './storage/path-template.ts'

/** Checks one value, and gives it back in the form that the rest of the code may rely on. */
export type Check<Value> = (value: unknown, name: string) => Value

/** Room for the date, id and name that follow an upload path in a key. */
const MAX_PATH_LENGTH = 300

/**
 * Refuses a value.
 *
 * @throws ConfigurationError that names the setting
 */
export function fail(name: string, problem: string, value: unknown): never {
  throw new ConfigurationError(`settings.${name}`, problem, value)
}

/** Null, or what the check says. */
export function orNull<Value>(check: Check<Value>): Check<Value | null> {
  return (value, name) => (value === null ? null : check(value, name))
}

/** A frozen list of what the check says. */
export function listOf<Value>(check: Check<Value>): Check<readonly Value[]> {
  return (value, name) => {
    if (!Array.isArray(value)) fail(name, 'must be an array', value)
    return Object.freeze(value.map((item, index) => check(item, `${name}[${index}]`)))
  }
}

/** One of these strings. */
export function oneOf<Value extends string>(values: readonly Value[]): Check<Value> {
  return (value, name) =>
    values.find((known) => known === value) ?? fail(name, `must be ${values.join(' or ')}`, value)
}

/** Any string. */
export function text(value: unknown, name: string): string {
  return typeof value === 'string' ? value : fail(name, 'must be a string', value)
}

/** True or false, and nothing that merely looks like it. */
export function boolean(value: unknown, name: string): boolean {
  return typeof value === 'boolean' ? value : fail(name, 'must be true or false', value)
}

/** A number of bytes. */
export function positiveInteger(value: unknown, name: string, unit = 'bytes'): number {
  return Number.isSafeInteger(value) && Number(value) > 0
    ? Number(value)
    : fail(name, `must be a positive integer (${unit})`, value)
}

/** A number of pixels. */
export function pixels(value: unknown, name: string): number {
  return positiveInteger(value, name, 'pixels')
}

/** A duration. */
export function seconds(value: unknown, name: string): number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER / 1000
    ? value
    : fail(name, 'must be a number of seconds, 0 or more', value)
}

/** A rate as `@quillgate/server/http` reads it. */
export function rate(value: unknown, name: string): string {
  const given = text(value, name)
  parseRate(given, `settings.${name}`)
  return given
}

/** A place in a toolbar. */
export function toolbarItem(value: unknown, name: string): ToolbarItem {
  return isToolbarItem(value)
    ? value
    : fail(name, 'must be the name of a toolbar button or "separator"', value)
}

/** A media type that may be uploaded, in its canonical spelling. */
export function uploadType(value: unknown, name: string): string {
  const type = toMediaType(text(value, name))
  if (!/^[a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*$/.test(type)) {
    fail(name, 'must be a media type such as "image/png", without wildcards', value)
  }
  if (isActiveType(type)) fail(name, 'must not be a type that can run script in a page', value)
  return isCheckableType(type)
    ? type
    : fail(name, 'must be a type that can be recognised by its content', value)
}

/** Where a browser posts to. */
export function endpointUrl(value: unknown, name: string): string {
  const given = text(value, name)
  const isPath = /^\/(?![/\\])[^\s\\]*$/.test(given)
  return isPath || isHttpUrl(given)
    ? given
    : fail(name, 'must be a path such as "/md-editor/upload" or a URL', value)
}

/** The path of all media, with its final slash. */
export function mediaUrl(value: unknown, name: string): string {
  const path = withFinalSlash(text(value, name))
  return /^(?:\/[\w.~-]*[\w~-])+\/$/.test(path)
    ? path
    : fail(name, 'must be a path such as "/media/"', value)
}

/** An absolute URL of all media, with its final slash. */
export function publicUrl(value: unknown, name: string): string {
  const given = text(value, name)
  const { search, hash } = isHttpUrl(given) ? new URL(given) : { search: '?', hash: '' }
  return search === '' && hash === ''
    ? withFinalSlash(given)
    : fail(name, 'must be an absolute URL such as "https://cdn.example.com/media/"', value)
}

/** An absolute URL that texts will contain, with its final slash: nothing in its path means something to Markdown. */
export function permanentFilesUrl(value: unknown, name: string): string {
  const { href, pathname } = new URL(publicUrl(value, name))
  return /^[\w/.~%-]*$/.test(pathname)
    ? href
    : fail(name, 'must have a path of letters, digits, ".", "_", "~" and "-"', value)
}

/** A folder in the storage, which may have date codes, with its final slash. */
export function storageFolder(value: unknown, name: string): string {
  const folder = withFinalSlash(text(value, name))
  if (folder.length > MAX_PATH_LENGTH)
    fail(name, `must have at most ${MAX_PATH_LENGTH} characters`, value)
  const problem = pathTemplateProblem(folder)
  return problem === null ? folder : fail(name, problem, value)
}

/** A folder in the storage without date codes. */
export function fixedStorageFolder(value: unknown, name: string): string {
  const folder = storageFolder(value, name)
  return folder.includes('%') ? fail(name, 'must not contain date codes', value) : folder
}

/** A CSS length. */
export function cssLength(value: unknown, name: string): string {
  return (
    toCssLength(text(value, name)) ??
    fail(name, 'must be a CSS length such as "300px" or "50vh"', value)
  )
}

/** A host name in lower case. */
export function hostName(value: unknown, name: string): string {
  const host = text(value, name).toLowerCase()
  return /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/.test(host)
    ? host
    : fail(name, 'must be a host name such as "www.youtube.com", without scheme and path', value)
}

/** The name of a programming language. */
export function languageName(value: unknown, name: string): string {
  const language = text(value, name)
  return /^[\w+#.-]{1,40}$/.test(language)
    ? language
    : fail(name, 'must be the name of a language', value)
}

/** A canonical BCP 47 tag. */
export function locale(value: unknown, name: string): string {
  try {
    const [tag] = Intl.getCanonicalLocales(text(value, name))
    if (tag !== undefined) return tag
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return fail(name, 'must be a language tag such as "en" or "de-CH"', value)
}

function withFinalSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}

function isHttpUrl(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : null
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  )
}
