/** Facts about one stored object. */
export interface StoredObject {
  /** The object's key. */
  readonly key: string
  /** Length in bytes. */
  readonly size: number
  /** Last write, in milliseconds since the epoch. */
  readonly modifiedAt: number
}

/** A range of bytes; both ends are included, as in HTTP. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** An object opened for reading. The body must be consumed or cancelled. */
export interface StoredBody {
  /** Length of the whole object in bytes, also when a range was asked for. */
  readonly size: number
  readonly body: ReadableStream<Uint8Array>
}

/** What {@link Storage.write} tells of the bytes that it stored. */
export interface WriteResult {
  /** Number of bytes. */
  readonly size: number
  /** SHA-256 of the bytes, lower-case hexadecimal. */
  readonly sha256: string
}

/** How {@link Storage.signedUrl} lets an object be read. */
export interface SignedUrlOptions {
  /** How long the URL works, in seconds: a whole number from 1 to 604,800 (seven days). */
  readonly expiresIn: number
  /** The `content-type` of the answer. */
  readonly type: string
  /** The `content-disposition` of the answer. */
  readonly disposition: string
}

/**
 * Where the bytes of media live. Keys are relative paths of our own making: segments of letters (any script), digits,
 * `.`, `_` and `-`, joined by `/`; no segment is empty or begins or ends with a dot; at most 900 bytes in UTF-8.
 * An implementation refuses any other key with `invalid_storage_key` (`parseStorageKey`) and so never lets a key leave
 * its place.
 *
 * Promises, which the contract suite in `@quillgate/storage/testing/suites` proves:
 * - An object is visible whole or not at all, and is durable when its call resolves.
 * - `write` never replaces: a taken key rejects with `storage_conflict`, also when two writers race. A failed or
 *   aborted write leaves nothing behind. What the body itself throws is passed on as it is.
 * - "Missing" is an answer, not an error: `read` and `stat` give null, `copy` and `remove` give false.
 * - `copy` and `remove` can be repeated. `copy` leaves the source alone; when the target exists with the same size it
 *   is done, with another size it rejects with `storage_conflict`.
 * - `signedUrl`, where a storage has it, gives an absolute URL from which anybody reads that one object, ranges
 *   included, until it expires. It is good for nothing else: neither another method nor another key, type or
 *   disposition. It does not ask whether the object is there.
 * - Anything else that goes wrong rejects with `storage_failed` (503) and the reason as its cause.
 */
export interface Storage {
  /** Stores a body under a new key, as it streams in. The memory of a chunk is the storage's from then on. */
  write(
    key: string,
    body: AsyncIterable<Uint8Array>,
    info: { readonly type: string },
  ): Promise<WriteResult>
  /** Opens an object, or a range of it; null when there is none. */
  read(key: string, range?: ByteRange): Promise<StoredBody | null>
  /** Tells size and time of an object; null when there is none. */
  stat(key: string): Promise<StoredObject | null>
  /** Copies an object to another key; false when the source is missing. */
  copy(from: string, to: string): Promise<boolean>
  /** Removes an object; false when there was none. */
  remove(key: string): Promise<boolean>
  /** Lists the objects under a prefix (which ends with `/`), in no promised order, without holding all in memory. */
  list(prefix: string): AsyncIterable<StoredObject>
  /**
   * A URL at which whoever has it gets this object from the storage itself, without the application, for a short time.
   * Left out by storages that have no such URLs. It is made without looking whether the object is there.
   */
  signedUrl?(key: string, options: SignedUrlOptions): Promise<string>
  /** Ends connections; the storage is not used afterwards. */
  close?(): Promise<void>
}
