/** One part of a form, in the order in which the client sent them. */
export type MultipartPart = MultipartField | MultipartFile

/** A field that is no file. */
export interface MultipartField {
  readonly kind: 'field'
  readonly name: string
  readonly value: string
}

/** A file. */
export interface MultipartFile {
  readonly kind: 'file'
  readonly name: string
  /** What the client calls it: hostile text in UTF-8, without directories; empty when there is none. */
  readonly filename: string
  /** What the client says that it is, lower case, without parameters: hostile as well. */
  readonly type: string
  /** The bytes, read from the network as fast as they are taken from here, once. */
  readonly body: AsyncIterable<Uint8Array>
}
