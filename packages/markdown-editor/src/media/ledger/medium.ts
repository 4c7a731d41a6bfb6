/**
 * The states of a file. Each arrow is one compare-and-set on the ledger row, so that every step can
 * be repeated after a crash:
 *
 * `uploading → temporary → promoting → permanent ⇄ orphaned → deleting → deleted`
 *
 * `uploading`, `temporary` and `promoting` may also go to `deleting` (failed, expired, lost). The
 * row of a file that was never `temporary` is removed with its bytes; all others stay for a year.
 */
export type MediaState = (typeof MEDIA_STATES)[number]

/** All states, in the order in which a file goes through them. */
export const MEDIA_STATES = [
  'uploading',
  'temporary',
  'promoting',
  'permanent',
  'orphaned',
  'deleting',
  'deleted',
] as const

/** The states of files that exist: their bytes are complete and needed. */
export const EXISTING = [
  'temporary',
  'promoting',
  'permanent',
  'orphaned',
] as const satisfies readonly MediaState[]

/** Whether the bytes of a file are complete and needed. */
export function isExisting(state: MediaState): boolean {
  return (EXISTING as readonly MediaState[]).includes(state)
}

/**
 * Why a file was orphaned or deleted. `upload_failed`: its bytes are lost or never came; `expired`:
 * temporary for too long; `unsaved`: finalized, and no record referenced it in time; `orphaned`:
 * its last reference was removed; `removed`: by `media.remove`.
 */
export type DeletionReason = 'upload_failed' | 'expired' | 'unsaved' | 'orphaned' | 'removed'

/** One row of the ledger: all that is known of a file. Times are milliseconds since the epoch. */
export interface Medium {
  /** Unguessable id, the same in the temporary and in the permanent URL. */
  readonly id: string
  readonly state: MediaState
  /** The uploader: `user:<id>`, or `anon:<session>` for an anonymous session. */
  readonly owner: string
  /** File name as the uploader gave it, cleaned for display. */
  readonly name: string
  /** Media type, found in the content and allowed by the settings. */
  readonly type: string
  /** Length in bytes; null while it uploads. */
  readonly size: number | null
  /** SHA-256 of the bytes, hexadecimal; null while it uploads. */
  readonly checksum: string | null
  /** Key in temporary storage. */
  readonly tempKey: string
  /** Key in permanent storage; null until it is promoted. */
  readonly key: string | null
  /** Size of an image in pixels, if known. */
  readonly width: number | null
  readonly height: number | null
  readonly createdAt: number
  /** When it became permanent. */
  readonly finalizedAt: number | null
  /** When a user who manages it first saved it in a record; null: never, so `unsavedGrace` counts. */
  readonly referencedAt: number | null
  /** The record in which such a user last saved it. */
  readonly savedIn: { readonly type: string; readonly id: string } | null
  /** When it lost its last reference; `orphanGrace` counts from here. */
  readonly orphanedAt: number | null
  readonly deletedAt: number | null
  /** Why and by whom (`user:<id>`, `sweep`, …) it was orphaned or deleted. */
  readonly reason: DeletionReason | null
  readonly actor: string | null
}

/**
 * Writes the size of a picture into a path, in front of the file name, if it is known.
 *
 * @example withDimensions('tmp/<id>-photo.png', { width: 640, height: 360 }) // 'tmp/<id>-640x360-photo.png'
 */
export function withDimensions(path: string, { width, height }: Partial<Dimensions>): string {
  return width && height ? path.replace(/([^/-]*-)([^/]*)$/, `$1${width}x${height}-$2`) : path
}

type Dimensions = Pick<Medium, 'width' | 'height'>

/** Returns the path of a temporary file in URLs. Its key was chosen before its size was known. */
export function temporaryPath(medium: Pick<Medium, 'tempKey' | 'width' | 'height'>): string {
  return withDimensions(medium.tempKey, medium)
}

/** Whether a path is that of this file while it was temporary. */
export function isTemporaryPath(medium: Medium | undefined, path: string): boolean {
  return medium !== undefined && (path === medium.tempKey || path === temporaryPath(medium))
}

/** The facts about a file before its first byte. */
export type NewMedium = Pick<Medium, 'id' | 'owner' | 'name' | 'type' | 'tempKey' | 'createdAt'>

/** The facts about a file after its last byte. */
export type UploadedFacts = Pick<Medium, 'name' | 'type'> & {
  readonly size: number
  readonly checksum: string
  readonly width?: number
  readonly height?: number
}
