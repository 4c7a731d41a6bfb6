import { DifferenceList } from '../differences.ts'
import type { DeletionGuard } from '../ledger/installation.ts'

/** Why a file was, or would be, deleted; `never_referenced` ones are not. */
export type SweepKind =
  | 'expired'
  | 'unsaved'
  | 'never_referenced'
  | 'unsettled'
  | 'orphaned'
  | 'interrupted'
  | 'forgotten'
  | 'stray'

/** The result of a sweep; with `dryRun`, of the sweep that would run. */
export interface SweepReport {
  readonly dryRun: boolean
  /** Why nothing was deleted; null when the sweep did all its work. */
  readonly stopped: DeletionGuard | null
  /** Temporary files older than `tempMaxAge`. */
  readonly expired: number
  /** Finalized files that no record referenced within `unsavedGrace`; without that setting none. */
  readonly unsaved: number
  /**
   * Finalized files older than a day that no record has ever referenced, and that are kept: without
   * `unsavedGrace`, or if `references.rebuild` has never run. Only a dry run lists them.
   */
  readonly neverReferenced: number
  /** Files that lost their last reference, but were not settled; now they are orphans. */
  readonly unsettled: number
  /** Orphans whose grace ended. */
  readonly orphaned: number
  /** Interrupted uploads, promotions and deletions that are now completed or undone. */
  readonly interrupted: number
  /** Files deleted longer than a year ago, whose rows were removed. */
  readonly forgotten: number
  /** Objects under the temporary folder that the ledger does not know or does not need. */
  readonly strays: number
  /** Files whose bytes could not be removed; the next sweep tries again. */
  readonly failed: number
  /** The first 1,000 of them. */
  readonly items: readonly SweepItem[]
}

/** One file of a report. */
export interface SweepItem {
  readonly kind: SweepKind
  /** Media id; null for an object that is in no row of the ledger. */
  readonly id: string | null
  /** Storage key. */
  readonly key: string
  /** Length in bytes, if known. */
  readonly size: number | null
}

/** Counts what a sweep does. */
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
