/** A kind of file, which is also the name of the button that chooses files of this kind. */
export type FileKind = 'image' | 'video' | 'document'

/** Returns whether a name is a kind of file. */
export function isFileKind(name: string): name is FileKind {
  return name === 'image' || name === 'video' || name === 'document'
}

/**
 * Returns the value of `<input accept>`: `''` for all types, null if no type of `kind` is allowed.
 *
 * @param kind null for all kinds
 * @param types the allowed media types, separated by spaces; null for all types
 */
export function acceptedTypes(kind: FileKind | null, types: string | null): string | null {
  if (types === null) return kind === 'image' || kind === 'video' ? `${kind}/*` : ''
  const words = types.match(/\S+/g) ?? []
  const listed = words.filter((type) => kind === null || kindOf(type) === kind)
  return listed.length === 0 ? null : listed.join(',')
}

function kindOf(type: string): FileKind {
  if (type.startsWith('image/')) return 'image'
  return type.startsWith('video/') ? 'video' : 'document'
}
