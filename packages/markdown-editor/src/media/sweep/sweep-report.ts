import { DifferenceList } from '../differences.ts'
import type { DeletionGuard } from '../ledger/installation.ts'

/** Why a file is in the report. Only `never_referenced` files are kept. */
export type SweepKind =
  | 'expired'
  | 'unsaved'
  | 'never_referenced'
  | 'unsettled'
  | 'orphaned'
  | 'interrupted'
  | 'forgotten'
  | 'stray'

/** The result of a sweep. With `dryRun`, the result that a sweep would have. */
export interface SweepReport {
  readonly dryRun: boolean
  /** Why nothing was deleted; null if deletion was allowed. */
  readonly stopped: DeletionGuard | null
  /** Temporary files older than `tempMaxAge`. */
  readonly expired: number
  /** Finalized files that no record referenced within `unsavedGrace`; 0 without this setting. */
  readonly unsaved: number
  /**
   * Kept files that were finalized more than a day ago and that no record has ever referenced. Only
   * a dry run counts them.
   */
  readonly neverReferenced: number
  /** Files that lost their last reference but were not settled. The sweep has orphaned them. */
  readonly unsettled: number
  /** Orphans whose grace ended. */
  readonly orphaned: number
  /** Interrupted uploads, promotions and deletions that are now completed or undone. */
  readonly interrupted: number
  /** Files that were deleted more than a year ago, and whose rows were removed. */
  readonly forgotten: number
  /** Objects in the temporary folder that no file of the ledger needs. */
  readonly strays: number
  /** Files whose bytes could not be removed; the next sweep tries again. */
  readonly failed: number
  /** The first 1,000 files that the numbers above count. */
  readonly items: readonly SweepItem[]
}

/** One file of a report. */
export interface SweepItem {
  readonly kind: SweepKind
  /** Media id; null for an object that is in no row of the ledger. */
  readonly id: string | null
  readonly key: string
  /** Length in bytes, if known. */
  readonly size: number | null
}

/** Counts the tasks of a sweep and lists their files. */
export class SweepTally {
  readonly #counts = new Map<SweepKind, number>()
  readonly #items: SweepItem[] = []
  #failed = 0

  add({ kind, id, key, size }: SweepItem): void {
    this.#counts.set(kind, this.#count(kind) + 1)
    if (this.#items.length < DifferenceList.MAX_ITEMS) this.#items.push({ kind, id, key, size })
  }

  fail(): void {
    this.#failed++
  }

  report(dryRun: boolean, stopped: SweepReport['stopped']): SweepReport {
    return {
      dryRun,
      stopped,
      expired: this.#count('expired'),
      unsaved: this.#count('unsaved'),
      unsettled: this.#count('unsettled'),
      orphaned: this.#count('orphaned'),
      interrupted: this.#count('interrupted'),
      forgotten: this.#count('forgotten'),
      neverReferenced: this.#count('never_referenced'),
      strays: this.#count('stray'),
      failed: this.#failed,
      items: this.#items,
    }
  }

  #count(kind: SweepKind): number {
    return this.#counts.get(kind) ?? 0
  }
}
