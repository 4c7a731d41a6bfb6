/** The answer to an upload (201): a file in temporary storage. */
export interface UploadResponse {
  /** URL of the temporary file. */
  readonly url: string
  /** The file's name as its sender called it, without a path. */
  readonly name: string
  /** Its media type, for example `image/png`. */
  readonly type: string
  /** Width in pixels of an image as it is shown, where it could be read. */
  readonly width?: number
  /** Height in pixels of an image as it is shown, where it could be read. */
  readonly height?: number
}

/** The body of a finalize request: one text, or all texts of a form, which count as one. */
export type FinalizeRequest =
  | {
      /** The markdown that is about to be saved. */
      readonly text: string
    }
  | {
      /** At least one, and at most 100. */
      readonly texts: readonly string[]
    }

/** The answer to a finalize request (200). */
export interface FinalizeResponse {
  /** From each temporary URL, spelled exactly as in the texts, to its permanent URL. */
  readonly replacements: Readonly<Record<string, string>>
  /** Temporary URLs without a file of this user: expired, unknown, or owned by another user. */
  readonly missing: readonly string[]
}
