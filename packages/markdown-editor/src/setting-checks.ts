import {
  TOOLBAR_ITEMS,
  type ToolbarItem,
  toCssLength,
  toMediaType,
} from '@quillgate/markdown-editor-element/contract'
import { type Check, Problem, text } from '@quillgate/server/core'
import { isActiveType, isCheckableType } from './media/upload/media-types.ts'
import { pathTemplateProblem } from './media/upload/path-template.ts'

/** Room for the date, id and name that follow an upload path in a key. */
const MAX_PATH_LENGTH = 300

/** Accepts a place in a toolbar. */
export const toolbarItem: Check<ToolbarItem> = (value) =>
  TOOLBAR_ITEMS.find((item) => item === value) ??
  new Problem(`must be one of ${TOOLBAR_ITEMS.slice(0, -1).join(', ')} and separator`, value)

/** Accepts a media type that may be uploaded, and returns its canonical spelling. */
export const uploadType: Check<string> = (value) => {
  const type = typeof value === 'string' ? toMediaType(value) : ''
  if (!/^[a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*$/.test(type))
    return new Problem('must be a media type such as "image/png", without wildcards', value)
  if (isActiveType(type))
    return new Problem('must not be a type that can run script in a page', value)
  return isCheckableType(type)
    ? type
    : new Problem('must be a type that can be recognised by its content', value)
}

/** Accepts the path of all media, and returns it with its final slash. */
export const mediaUrl: Check<string> = (value) =>
  typeof value === 'string' && /^(?:\/[\w.~-]*[\w~-])+\/?$/.test(value)
    ? withFinalSlash(value)
    : new Problem('must be a path such as "/media/"', value)

/** Accepts an absolute URL of all media, and returns it with its final slash. */
export const publicUrl: Check<string> = (value) => {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null
  const isPlain =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username + url.password + url.search + url.hash === ''
  return isPlain
    ? withFinalSlash(String(value))
    : new Problem('must be an absolute URL such as "https://cdn.example.com/media/"', value)
}

/**
 * Accepts a folder in the storage, which may have date codes, and returns it with its final slash.
 */
export const storageFolder: Check<string> = (value) => {
  if (typeof value !== 'string') return text(value)
  const folder = withFinalSlash(value)
  if (folder.length > MAX_PATH_LENGTH)
    return new Problem(`must have at most ${MAX_PATH_LENGTH} characters`, value)
  const problem = pathTemplateProblem(folder)
  return problem === null ? folder : new Problem(problem, value)
}

/** Accepts a folder in the storage without date codes. */
export const fixedStorageFolder: Check<string> = (value) => {
  const folder = storageFolder(value)
  return typeof folder === 'string' && folder.includes('%')
    ? new Problem('must not contain date codes', value)
    : folder
}

/** Accepts a CSS length. */
export const cssLength: Check<string> = (value) =>
  (typeof value === 'string' ? toCssLength(value) : null) ??
  new Problem('must be a CSS length such as "300px" or "50vh"', value)

/** Accepts a BCP 47 tag, and returns its canonical form. */
export const locale: Check<string> = (value) => {
  const problem = new Problem('must be a language tag such as "en" or "de-CH"', value)
  if (typeof value !== 'string') return problem
  try {
    return Intl.getCanonicalLocales(value)[0] ?? problem
  } catch (error) {
    if (error instanceof RangeError) return problem
    throw error
  }
}

function withFinalSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}
