import type { DeletionGuard } from '../ledger/installation.ts'

/** The reason why a file is in the report. A sweep keeps only the `never_referenced` files. */
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
  /** Temporary files older than `tempMaxAge`. */
  readonly expired: number
  /** Finalized files that no record referenced within `unsavedGrace`. Without this setting, 0. */
  readonly unsaved: number
  /**
   * Kept files that were finalized more than a day ago and that no record has ever referenced. They
   * are counted only in a dry run, or if `stopped` is not null.
   */
  readonly neverReferenced: number
  /** Files that lost their last reference, but `settle` was not called. The sweep orphaned them. */
  readonly unsettled: number
  /** Orphaned files whose `orphanGrace` has ended. */
  readonly orphaned: number
  /** Interrupted uploads, finalizations and deletions that the sweep completed or undid. */
  readonly interrupted: number
  /** Files that were deleted more than a year ago, and whose rows were removed. */
  readonly forgotten: number
  /** Objects in the temporary folder that no file of the ledger needs. */
  readonly strays: number
  /** Tasks that failed. The next sweep tries them again. */
  readonly failed: number
  /** The first 1,000 files that the numbers above count. */
  readonly items: readonly SweepItem[]
}

/** One file of a report. */
export interface SweepItem {
  readonly kind: SweepKind
  /** Media id. Null for an object that has no row in the ledger. */
  readonly id: string | null
  readonly key: string
  /** Length in bytes, if known. */
  readonly size: number | null
}
