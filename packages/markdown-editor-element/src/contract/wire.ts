/** The answer to an upload (201): a file in temporary storage. */
export interface UploadResponse {
  /** URL of the temporary file. */
  readonly url: string
  /** The name that the sender gave the file, without a path. */
  readonly name: string
  /** The media type, for example `image/png`. */
  readonly type: string
  /** The displayed width of an image in pixels, if it could be read. */
  readonly width?: number
  /** The displayed height of an image in pixels, if it could be read. */
  readonly height?: number
}

/** The body of a finalize request: one text, or several that are finalized together. */
export type FinalizeRequest =
  | {
      /** The markdown that is about to be saved. */
      readonly text: string
    }
  | {
      /** 1 to 100 texts. */
      readonly texts: readonly string[]
    }

/** The answer to a finalize request (200). */
export interface FinalizeResponse {
  /** Maps each temporary URL, spelled exactly as in the texts, to its permanent URL. */
  readonly replacements: Readonly<Record<string, string>>
  /** Temporary URLs for which the user has no file: expired, unknown, or owned by another user. */
  readonly missing: readonly string[]
}
