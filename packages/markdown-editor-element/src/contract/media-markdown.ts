import type { UploadResponse } from './wire.ts'

/**
 * Returns the Markdown that shows a stored file: an image, a video player, or a link for other
 * files.
 *
 * @param label the image description, video title or link text. By default, the name of the file,
 * for images without the extension.
 * @example
 * mediaMarkdown({ url: '/media/a.png', name: 'a [1].png', type: 'image/png' }) // '![a \\[1\\]](/media/a.png)'
 */
export function mediaMarkdown(file: UploadResponse, label: string = defaultLabel(file)): string {
  const { url, name, type } = file
  if (type.startsWith('image/')) return `![${escapeLabel(label)}](${toDestination(url)})`
  if (type.startsWith('video/')) return videoMarkdown(url, label || name)
  return `[${escapeLabel(label || name)}](${toDestination(url)})`
}

/** Returns the name of a file. Omits the extension of images. */
export function defaultLabel({ name, type }: Pick<UploadResponse, 'name' | 'type'>): string {
  return type.startsWith('image/') ? name.replace(/(?<=.)\.[^.]+$/, '') : name
}

/** Returns the Markdown of a video player. */
export function videoMarkdown(url: string, label: string): string {
  return `<video src="${escapeAttribute(url)}" controls width="100%">${escapeLabel(label)}</video>`
}

// Matches underscores that would be emphasis, unlike those of `_MG_1.jpg`. For linear time, tries
// only the first beginning.
const EMPHASIS = /^(?=(.*?(?<![\p{L}\p{N}])_))\1.*_(?![\p{L}\p{N}])/su
// Also matches the beginning of an address, which the renderer would extend over a backslash.
const SPECIAL = /[\\`*[\]<>&|~^]|=(?==)|(?<=www)\.|:(?=\/\/)/gi

/** Escapes a text for the label of a link or image. Control characters become spaces. */
export function escapeLabel(text: string): string {
  const escaped = withoutControls(text).replace(SPECIAL, '\\$&')
  return EMPHASIS.test(text) ? escaped.replaceAll('_', '\\_') : escaped
}

/** Percent-encodes the characters that would end the destination of a link. */
function toDestination(url: string): string {
  return url.replace(
    /[\s()<>\\]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}

function escapeAttribute(text: string): string {
  return withoutControls(text).replace(/[&<>"|]/g, (character) => `&#${character.charCodeAt(0)};`)
}

function withoutControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are replaced
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ')
}
