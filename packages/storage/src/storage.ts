/** The metadata of an object. */
export interface StoredObject {
  readonly key: string
  /** The length in bytes. */
  readonly size: number
  /** The time of the last write, in milliseconds since the epoch. */
  readonly modifiedAt: number
}

/** A range of bytes. As in HTTP, both ends are included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** An object that was opened for reading. The body must be consumed or cancelled. */
export interface StoredBody {
  /** The length of the whole object in bytes, even if a range was requested. */
  readonly size: number
  readonly body: ReadableStream<Uint8Array>
}

/** The result of {@link Storage.write}. */
export interface WriteResult {
  /** The number of bytes. */
  readonly size: number
  /** The SHA-256 hash of the bytes, in lower-case hexadecimal. */
  readonly sha256: string
}

/** Options of {@link Storage.signedUrl}. */
export interface SignedUrlOptions {
  /** The lifetime of the URL in seconds: a whole number from 1 to 604,800 (seven days). */
  readonly expiresIn: number
  /** The `content-type` of the response. */
  readonly type: string
  /** The `content-disposition` of the response. */
  readonly disposition: string
}

/**
 * A storage for the bytes of files. A key is a relative path: segments of letters (of any script),
 * digits, `.`, `_` and `-`, joined by `/`. A segment must not be empty, and must not begin or end
 * with a dot. In UTF-8, a segment has at most 240 bytes and a key at most 900. Other keys are
 * rejected with `invalid_storage_key` (`parseStorageKey`), so that no key can leave the folder.
 *
 * The suite in `@quillgate/storage/testing/suites` tests the guarantees of every storage:
 * - An incomplete object is never visible. When a call resolves, its change is durable.
 * - `write` never replaces an object. If the key is taken, it rejects with `storage_conflict`. If
 *   two calls write the same key at once, one of them rejects. A failed or aborted write leaves no
 *   data. If the body throws, `write` rejects with the same error.
 * - A missing object is not an error: `read` and `stat` return null, `copy` and `remove` return
 *   false.
 * - `copy` and `remove` can be repeated. `copy` does not change the source. If the target exists
 *   and has the same size, `copy` succeeds. If the size differs, the error is `storage_conflict`.
 * - `signedUrl` is optional. It returns an absolute URL for reading one object, or ranges of it,
 *   until the URL expires. The URL is not valid for other methods, keys, types or dispositions.
 * - All other failures reject with `storage_failed` (503) and the reason as the cause.
 */
export interface Storage {
  /** Stores a body under a new key. The caller must not reuse the memory of the chunks. */
  write(
    key: string,
    body: AsyncIterable<Uint8Array>,
    info: { readonly type: string },
  ): Promise<WriteResult>
  /** Opens an object, or a range of it. Returns null if it is missing. */
  read(key: string, range?: ByteRange): Promise<StoredBody | null>
  /** Returns the metadata of an object. Returns null if it is missing. */
  stat(key: string): Promise<StoredObject | null>
  /** Copies an object to another key. Returns false if the source is missing. */
  copy(from: string, to: string): Promise<boolean>
  /** Removes an object. Returns false if it is missing. */
  remove(key: string): Promise<boolean>
  /** Lists the objects under a prefix in any order, as a stream. The prefix ends with `/`. */
  list(prefix: string): AsyncIterable<StoredObject>
  /**
   * Returns a URL for reading an object directly from the storage for a limited time. Does not
   * check whether the object exists. Missing if the storage cannot sign URLs.
   */
  signedUrl?(key: string, options: SignedUrlOptions): Promise<string>
  /** Closes connections. The storage must not be used afterwards. */
  close?(): Promise<void>
}
