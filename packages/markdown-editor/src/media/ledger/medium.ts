/**
 * The states of a file. Each arrow is one compare-and-set on the ledger row, so that every step can
 * be repeated after a crash:
 *
 * `uploading → temporary → promoting → permanent ⇄ orphaned → deleting → deleted`
 *
 * The first three states can change to `deleting` if the upload fails, expires, is removed or loses
 * its bytes. `promoting` and `permanent` can change to `deleting` after `unsavedGrace`. `permanent`
 * can also do so if `orphanGrace` is 0, or in `deleteOrphanedMedia`. An `orphaned` file was removed
 * or has lost its last reference. It waits for the end of `orphanGrace`. If a file never became
 * `temporary`, its row is removed with its bytes. Other rows are kept for a year after deletion.
 */
export type MediaState = (typeof MEDIA_STATES)[number]

/** All states, in their usual order. */
export const MEDIA_STATES = [
  'uploading',
  'temporary',
  'promoting',
  'permanent',
  'orphaned',
  'deleting',
  'deleted',
] as const

/** The states of existing files, whose bytes are complete and must be kept. */
export const EXISTING = [
  'temporary',
  'promoting',
  'permanent',
  'orphaned',
] as const satisfies readonly MediaState[]

/** Returns true if the state is one of {@link EXISTING}. */
export function isExisting(state: MediaState): boolean {
  return (EXISTING as readonly MediaState[]).includes(state)
}

/**
 * The reason why a file was orphaned or deleted.
 *
 * - `upload_failed`: its bytes are lost or never arrived
 * - `expired`: it was temporary for too long
 * - `unsaved`: it was finalized, but no record referenced it in time
 * - `orphaned`: its last reference was removed
 * - `removed`: `media.remove` was called for it
 */
export type DeletionReason = 'upload_failed' | 'expired' | 'unsaved' | 'orphaned' | 'removed'

/** A row of the ledger, with all data about a file. Times are milliseconds since the epoch. */
export interface Medium {
  /** An unguessable id. The temporary and the permanent URL both contain it. */
  readonly id: string
  readonly state: MediaState
  /** The uploader, or the user who claimed the file: `user:<id>` or `anon:<session>`. */
  readonly owner: string
  /** The file name from the uploader, cleaned for display. */
  readonly name: string
  /** The media type, which was checked against the content or returned by `transform`. */
  readonly type: string
  /** Length in bytes. Null during the upload. */
  readonly size: number | null
  /** SHA-256 of the bytes in hexadecimal. Null during the upload. */
  readonly checksum: string | null
  readonly tempKey: string
  /** Key in permanent storage. Null until the state `promoting`. */
  readonly key: string | null
  /** The width of an image in pixels, if known. */
  readonly width: number | null
  readonly height: number | null
  readonly createdAt: number
  /** The time at which the file became permanent, or was restored. */
  readonly finalizedAt: number | null
  /**
   * The time at which the application, or a user who manages the file, first saved it in a record.
   * If null, `unsavedGrace` applies. `media.restore` sets it to null again.
   */
  readonly referencedAt: number | null
  /**
   * The record whose text last contained the file when the application, or a user who manages the
   * file, saved the record.
   */
  readonly savedIn: { readonly type: string; readonly id: string } | null
  /** The time at which the file was orphaned. `orphanGrace` starts at this time. */
  readonly orphanedAt: number | null
  readonly deletedAt: number | null
  /** The reason why the file was orphaned or deleted, and the actor (`user:<id>`, `sweep`, …). */
  readonly reason: DeletionReason | null
  readonly actor: string | null
}

/**
 * Inserts the size of a picture into a path, before the file name, if the size is known.
 *
 * @example withDimensions('tmp/<id>-photo.png', { width: 640, height: 360 }) // 'tmp/<id>-640x360-photo.png'
 */
export function withDimensions(path: string, { width, height }: Partial<Medium>): string {
  return width && height ? path.replace(/([^/-]*-)([^/]*)$/, `$1${width}x${height}-$2`) : path
}

/** Returns the path in the temporary URL: `tempKey`, with the size of a picture if known. */
export function temporaryPath(medium: Pick<Medium, 'tempKey' | 'width' | 'height'>): string {
  return withDimensions(medium.tempKey, medium)
}

/** Returns true if a path is the temporary path of a file, with or without its dimensions. */
export function isTemporaryPath(medium: Medium | undefined, path: string): boolean {
  return medium !== undefined && (path === medium.tempKey || path === temporaryPath(medium))
}

/** The data of a file that is known before its first byte is stored. */
export type NewMedium = Pick<Medium, 'id' | 'owner' | 'name' | 'type' | 'tempKey' | 'createdAt'>

/** The data of a file that is known after its last byte is stored. */
export type UploadedFacts = Pick<Medium, 'name' | 'type'> & {
  readonly size: number
  readonly checksum: string
  readonly width?: number
  readonly height?: number
}
