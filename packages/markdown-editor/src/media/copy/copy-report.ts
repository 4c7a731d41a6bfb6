import {
  boolean,
  field,
  functionOf,
  type Input,
  oneOf,
  optional,
  whole,
} from '@quillgate/server/core'
import { createDifferenceList, type DifferenceList, type Differences } from '../differences.ts'

/** The options of `editor.copyTo`. */
export const COPY_OPTIONS = {
  /** True: only report. Objects that the target has already are compared by size alone. */
  dryRun: field(boolean, false),
  /** Objects that are copied at once. */
  concurrency: field(whole(1), 8),
  /**
   * How objects that the target has already are compared with the ledger: by all their bytes (`checksum`), or only by
   * their length (`size`), which is enough for those that an earlier copy wrote.
   */
  compare: field(oneOf(['checksum', 'size']), 'checksum'),
  /** True: the copy counts as complete although the source has lost some files. */
  acceptLosses: field(boolean, false),
  /** Called after each file with the progress. */
  onProgress: optional(functionOf<(progress: CopyProgress) => void>()),
}

/** How media are copied. */
export type CopyOptions = Input<typeof COPY_OPTIONS>

/** How far a copy is. */
export interface CopyProgress {
  /** Files of the ledger that were looked at, of so many that there were at the start. */
  readonly done: number
  readonly files: number
  /** Objects and bytes that were copied. */
  readonly copied: number
  readonly bytes: number
}

/** What a copy came to. */
export interface CopyReport {
  readonly dryRun: boolean
  /** The target carries the marker of another installation: nothing was copied. */
  readonly stopped: 'installation_mismatch' | null
  /**
   * The target has every file that the ledger had when the copy began, and carries our marker, without which nothing is
   * deleted there. Uploads since then need another copy.
   */
  readonly complete: boolean
  /** Files that were looked at. */
  readonly files: number
  /** Objects that the target lacked, and their bytes. */
  readonly copied: number
  readonly bytes: number
  /** Objects that the target had. */
  readonly present: number
  /** Objects of the target that were others than the ledger says, and were copied anew. */
  readonly replaced: number
  /** Objects of files that were deleted or moved since an earlier copy; they were removed from the target. */
  readonly removed: number
  /** Uploads that were under way when the copy began. */
  readonly uploading: number
  /** Files that the source has lost, or not as the ledger knows them. */
  readonly lost: Differences<{
    readonly id: string
    readonly key: string
    readonly problem: 'missing' | 'damaged'
  }>
  /** Files that could not be copied this time. */
  readonly failed: Differences<{
    readonly id: string
    readonly key: string
    readonly reason: string
  }>
}

/** Counts what happens to files. */
export interface CopyTally {
  readonly lost: DifferenceList<CopyReport['lost']['items'][number]>
  readonly failed: DifferenceList<CopyReport['failed']['items'][number]>
  readonly counts: {
    files: number
    copied: number
    bytes: number
    present: number
    replaced: number
    removed: number
  }
  report(rest: Pick<CopyReport, 'dryRun' | 'stopped' | 'complete' | 'uploading'>): CopyReport
}

/** Makes an empty tally. */
export function createCopyTally(): CopyTally {
  const counts = { files: 0, copied: 0, bytes: 0, present: 0, replaced: 0, removed: 0 }
  const lost: CopyTally['lost'] = createDifferenceList()
  const failed: CopyTally['failed'] = createDifferenceList()
  return {
    counts,
    lost,
    failed,
    report: (rest) => ({ ...rest, ...counts, lost: lost.found, failed: failed.found }),
  }
}
