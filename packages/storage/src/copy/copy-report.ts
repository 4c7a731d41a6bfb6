import { checks, field, type Input } from '@quillgate/server/core'

/** The options of `copyObjects`. */
export const OBJECT_COPY_OPTIONS = {
  /** Whether to only report. Objects that the target already has are compared only by size. */
  dryRun: field(checks.boolean, false),
  /** The number of objects that are copied at the same time. */
  concurrency: field(checks.whole(1), 8),
  /**
   * How objects that the target already has are compared: by all their bytes (`checksum`), or only
   * by their length (`size`), which is enough for objects of an earlier copy.
   */
  compare: field(checks.oneOf(['checksum', 'size']), 'checksum'),
}

/** Options of `copyObjects`. */
export type CopyOptions = Input<typeof OBJECT_COPY_OPTIONS>

/** An object to copy, with its recorded size and checksum. */
export interface ObjectToCopy {
  readonly key: string
  /** The length in bytes. */
  readonly size: number
  /** The SHA-256 hash of the bytes, in lower-case hexadecimal. */
  readonly checksum: string
  /** Media type. */
  readonly type: string
}

/** The progress of a copy. */
export interface CopyCounts {
  /** All objects that were processed. */
  readonly files: number
  /** Objects that the target lacked. */
  readonly copied: number
  /** Bytes of the objects that were copied or replaced. */
  readonly bytes: number
  /** Objects that the target had. */
  readonly present: number
  /** Objects of the target that had other bytes, and were copied again. */
  readonly replaced: number
}

/** The result of a copy. */
export interface ObjectCopyReport extends CopyCounts {
  /** Objects that the source lacks, or has with other bytes than recorded. */
  readonly lost: Differences<{ readonly key: string; readonly problem: 'missing' | 'damaged' }>
  /** Objects that could not be copied this time. */
  readonly failed: Differences<{ readonly key: string; readonly reason: string }>
}

/** Items that were found. The list contains the first 1,000, but the count is complete. */
export interface Differences<Item> {
  readonly count: number
  readonly items: readonly Item[]
}

/** Collects {@link Differences}. */
export class DifferenceList<Item> {
  /** The greatest number of items in a list. */
  static readonly MAX_ITEMS: number = 1000
  readonly #items: Item[] = []
  #count = 0

  add(item: Item): void {
    this.#count++
    if (this.#items.length < DifferenceList.MAX_ITEMS) this.#items.push(item)
  }

  get found(): Differences<Item> {
    return { count: this.#count, items: this.#items }
  }
}
