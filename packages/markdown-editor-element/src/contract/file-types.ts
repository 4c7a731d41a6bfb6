/** The words of an attribute that is a list with white space between. */
export function splitWords(attribute: string): string[] {
  return attribute.split(/\s+/).filter((word) => word !== '')
}

/** The buttons that choose a file. */
export type FileKind = 'image' | 'video' | 'document'

/** True for the name of a button that chooses a file. */
export function isFileKind(name: string): name is FileKind {
  return name === 'image' || name === 'video' || name === 'document'
}

/**
 * What the file chooser of a button accepts, for `<input accept>`.
 *
 * @param kind the button; null: files of every kind
 * @param types the media types that may be uploaded, with spaces between them; null when all may
 * @returns null when no type of that kind may be uploaded
 */
export function acceptedTypes(kind: FileKind | null, types: string | null): string | null {
  if (types === null) return kind === 'image' || kind === 'video' ? `${kind}/*` : ''
  const listed = splitWords(types).filter((type) => kind === null || kindOf(type) === kind)
  return listed.length === 0 ? null : listed.join(',')
}

function kindOf(type: string): FileKind {
  if (type.startsWith('image/')) return 'image'
  return type.startsWith('video/') ? 'video' : 'document'
}
