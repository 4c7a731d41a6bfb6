/** A file that the server has stored. */
export interface MediaFile {
  readonly url: string
  /** Its name as the user knows it. */
  readonly name: string
  /** Its media type. */
  readonly type: string
  /** Of an image, in CSS pixels, where it is known. */
  readonly width?: number
  readonly height?: number
}

/**
 * The markdown that shows a file: an image, a video player, or a link for everything else. An image whose size is known
 * is written as HTML, so that the page keeps its room while it is loaded.
 *
 * @param alone true when it stands alone on its line: there a line break keeps an `<img>` from beginning a block of HTML, in
 * which the next line would be no markdown
 * @example
 * mediaMarkdown({ url: '/media/a.png', name: 'a [1].png', type: 'image/png' }) // '![a \\[1\\]](/media/a.png)'
 * mediaMarkdown({ url: '/media/a.png', name: 'a.png', type: 'image/png', width: 8, height: 8 })
 * // '<img src="/media/a.png" alt="a" width="8" height="8">'
 */
export function mediaMarkdown(
  { url, name, type, width, height }: MediaFile,
  alone = false,
): string {
  if (type.startsWith('image/')) {
    const alt = withoutExtension(name)
    if (width === undefined || height === undefined)
      return `![${escapeLabel(alt)}](${toDestination(url)})`
    const size = `width="${width}" height="${height}"`
    return `<img src="${escapeAttribute(url)}" alt="${escapeAttribute(alt)}" ${size}>${alone ? '<br>' : ''}`
  }
  if (type.startsWith('video/')) {
    return `<video src="${escapeAttribute(url)}" controls width="100%">${escapeLabel(name)}</video>`
  }
  return `[${escapeLabel(name)}](${toDestination(url)})`
}

/** A text as the label of a link or image: what has a meaning there is escaped, control characters become spaces. */
export function escapeLabel(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it replaces
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ').replace(/[\\`*[\]<>&|]/g, '\\$&')
}

function withoutExtension(name: string): string {
  return name.replace(/(?<=.)\.[^.]+$/, '')
}

/** A URL as the destination of a link: what would end it is percent-encoded. */
function toDestination(url: string): string {
  return url.replace(
    /[\s()<>\\]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}

function escapeAttribute(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it replaces
  const oneLine = text.replace(/[\u0000-\u001f\u007f]+/g, ' ')
  return oneLine.replace(/[&<>"|]/g, (character) => `&#${character.charCodeAt(0)};`)
}
