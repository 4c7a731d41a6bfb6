import type { DeletionGuard } from '../ledger/installation.ts'

/** The reason why a file is in the report. A sweep does not change `never_referenced` files. */
export type SweepKind =
  | 'expired'
  | 'unsaved'
  | 'never_referenced'
  | 'unsettled'
  | 'orphaned'
  | 'interrupted'
  | 'forgotten'
  | 'stray'

/** The result of a sweep. A dry run returns the result that a sweep would have. */
export interface SweepReport {
  readonly dryRun: boolean
  /** The reason why nothing was deleted. Null if deletion was allowed. */
  readonly stopped: DeletionGuard | null
  /** The number of temporary files that were older than `tempMaxAge`. */
  readonly expired: number
  /** The number of finalized files that no record referenced within `unsavedGrace`. */
  readonly unsaved: number
  /**
   * The number of kept files that were finalized more than a day ago and that no record has ever
   * referenced. They are counted only in a dry run, or if `stopped` is not null.
   */
  readonly neverReferenced: number
  /** The number of files that lost their last reference and that this sweep orphaned. */
  readonly unsettled: number
  /** The number of orphaned files whose `orphanGrace` has ended. */
  readonly orphaned: number
  /**
   * The number of interrupted uploads, finalizations and deletions that were completed or undone.
   */
  readonly interrupted: number
  /**
   * The number of rows that were removed, because their files were deleted more than a year ago.
   */
  readonly forgotten: number
  /** The number of old objects in the temporary folder that no file of the ledger needs. */
  readonly strays: number
  /** The number of failed tasks. The next sweep tries them again. */
  readonly failed: number
  /** The first 1,000 files that the numbers above count. */
  readonly items: readonly SweepItem[]
}

/** One file of a report. */
export interface SweepItem {
  readonly kind: SweepKind
  /** Media id. Null for a `stray` object. */
  readonly id: string | null
  readonly key: string
  /** Length in bytes, if known. */
  readonly size: number | null
}
