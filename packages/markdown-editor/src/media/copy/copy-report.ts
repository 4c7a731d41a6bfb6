import { createDifferenceList, type DifferenceList, type Differences } from '../differences.ts'

/** Options of `editor.copyTo`. */
export interface CopyOptions {
  /** Only report; what is there already is compared by size alone. @default false */
  readonly dryRun?: boolean
  /** Objects that are copied at once. @default 8 */
  readonly concurrency?: number
  /**
   * How objects that the target has already are compared with the ledger: by all their bytes (`checksum`), or only by
   * their length (`size`), which is enough for those that an earlier copy wrote. @default 'checksum'
   */
  readonly compare?: 'checksum' | 'size'
  /** Take the copy for complete although the source has lost some files. @default false */
  readonly acceptLosses?: boolean
  /** Hears after each file how far the copy is. */
  onProgress?(progress: CopyProgress): void
}

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
