/** A file that the server has stored. */
export interface MediaFile {
  readonly url: string
  /** Its name as the user knows it. */
  readonly name: string
  /** Its media type. */
  readonly type: string
}

/**
 * The markdown that shows a file: an image, a video player, or a link for everything else.
 *
 * @example
 * mediaMarkdown({ url: '/media/a.png', name: 'a [1].png', type: 'image/png' }) // '![a \\[1\\]](/media/a.png)'
 */
export function mediaMarkdown({ url, name, type }: MediaFile): string {
  if (type.startsWith('image/')) return `![${escapeLabel(withoutExtension(name))}](${toDestination(url)})`
  if (type.startsWith('video/')) {
    return `<video src="${escapeAttribute(url)}" controls width="100%">${escapeLabel(name)}</video>`
  }
  return `[${escapeLabel(name)}](${toDestination(url)})`
}

/** A text as the label of a link or image: what has a meaning there is escaped, control characters become spaces. */
export function escapeLabel(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it replaces
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ').replace(/[\\`*[\]<>&]/g, '\\$&')
}

function withoutExtension(name: string): string {
  return name.replace(/(?<=.)\.[^.]+$/, '')
}

/** A URL as the destination of a link: what would end it is percent-encoded. */
function toDestination(url: string): string {
  return url.replace(/[\s()<>\\]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

function escapeAttribute(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
