import { MAX_ITEMS } from '@quillgate/storage/copy'
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
  /**
   * Why nothing was deleted; null when the sweep did its work. `too_many`: more than max(1,000, 5
   * %), use `force`.
   */
  readonly stopped: DeletionGuard | 'too_many' | null
  /** Temporary files older than `tempMaxAge`. */
  readonly expired: number
  /** Finalized files that no record referenced within `unsavedGrace`; without that setting none. */
  readonly unsaved: number
  /**
   * Finalized files that no record has ever referenced, and that are kept. Without `unsavedGrace` a
   * dry run lists those that are older than a day. With it these are the files that were finalized
   * before the application was known to reference its media: before the option `records`, the first
   * `references.set`, and without `references.rebuild`.
   */
  readonly neverReferenced: number
  /** Bytes of the files that are `neverReferenced`. */
  readonly neverReferencedBytes: number
  /** Files that lost their last reference without anybody noticing; orphans from now on. */
  readonly unsettled: number
  /** Orphans whose grace ended. */
  readonly orphaned: number
  /** Interrupted uploads, promotions and deletions that are now completed or undone. */
  readonly interrupted: number
  /** Files deleted longer than a year ago, of which the ledger keeps nothing any more. */
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
  /** Length in bytes; null where it is not known. */
  readonly size: number | null
}

/** Counts what a sweep does. */
export interface SweepTally {
  add(item: SweepItem): void
  fail(): void
  report(dryRun: boolean, stopped: SweepReport['stopped']): SweepReport
}

/** Starts a count. */
export function createSweepTally(): SweepTally {
  const counts: Record<SweepKind, number> = {
    expired: 0,
    unsaved: 0,
    never_referenced: 0,
    unsettled: 0,
    orphaned: 0,
    interrupted: 0,
    forgotten: 0,
    stray: 0,
  }
  const items: SweepItem[] = []
  let failed = 0
  let neverReferencedBytes = 0
  return {
    add({ kind, id, key, size }) {
      counts[kind]++
      if (kind === 'never_referenced') neverReferencedBytes += size ?? 0
      if (items.length < MAX_ITEMS) items.push({ kind, id, key, size })
    },
    fail() {
      failed++
    },
    report: (dryRun, stopped) => {
      const { stray: strays, never_referenced: neverReferenced, ...kinds } = counts
      return {
        dryRun,
        stopped,
        ...kinds,
        neverReferenced,
        neverReferencedBytes,
        strays,
        failed,
        items,
      }
    },
  }
}
