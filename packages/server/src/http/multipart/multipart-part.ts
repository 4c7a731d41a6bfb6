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
  /** The file name of the client: untrusted UTF-8 text, without directories, possibly empty. */
  readonly filename: string
  /** The media type of the client in lower case, without parameters. It is untrusted too. */
  readonly type: string
  /** The bytes, read from the network as fast as they are taken from here, once. */
  readonly body: AsyncIterable<Uint8Array>
}
