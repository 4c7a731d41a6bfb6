import { parse, type Values } from '@quillgate/server/core'
import type { Storage } from '../storage.ts'
import { copyObject, type ObjectOutcome, planObject } from './copy-object.ts'
import {
  type CopyCounts,
  type CopyOptions,
  DifferenceList,
  OBJECT_COPY_OPTIONS,
  type ObjectCopyReport,
  type ObjectToCopy,
} from './copy-report.ts'
import { assertOtherStorage } from './other-storage.ts'

/** The objects to copy, and functions that are called during the copy. */
export interface ObjectsToCopy {
  /** Read only as fast as objects are copied. */
  readonly objects: AsyncIterable<ObjectToCopy>
  /**
   * Called when the source lacks an object. Returns where the object is now, or null if it is not
   * needed any more. If the source still lacks it there, the object counts as lost.
   */
  locate?(object: ObjectToCopy): Promise<ObjectToCopy | null>
  /** Called and awaited before the first change of the target. */
  beforeChange?(): Promise<void>
  /** Called after each object. */
  onProgress?(counts: CopyCounts): void
}

/** The number of failures after which the copy rejects with the last one. */
const MAX_FAILURES = 100
/** The number of times that an object may move while it is copied. */
const MAX_MOVES = 5

/**
 * Copies objects from one storage to another. The bytes are compared with their recorded size and
 * checksum, so that no damaged object is written. If the copy is interrupted and repeated, it
 * copies only missing objects.
 *
 * @throws QuillgateError `same_storage` if both lead to the same place, `storage_failed` after
 * 100 failures; ConfigurationError
 * @example
 * const { copied, lost, failed } = await copyObjects(localFiles('./data'), s3({ bucket: 'media' }),
 * { objects })
 */
export async function copyObjects(
  source: Storage,
  target: Storage,
  work: ObjectsToCopy,
  options: CopyOptions = {},
): Promise<ObjectCopyReport> {
  const how = parse(OBJECT_COPY_OPTIONS, options, 'copyObjects')
  await assertOtherStorage(source, target, how.dryRun)
  return new CopyRun(source, target, work, how).copyAll()
}

class CopyRun {
  readonly #source: Storage
  readonly #target: Storage
  readonly #work: ObjectsToCopy
  readonly #options: Values<typeof OBJECT_COPY_OPTIONS>
  readonly #counts = { files: 0, copied: 0, bytes: 0, present: 0, replaced: 0 }
  readonly #lost = new DifferenceList<ObjectCopyReport['lost']['items'][number]>()
  readonly #failed = new DifferenceList<ObjectCopyReport['failed']['items'][number]>()
  #changing: Promise<void> | undefined

  constructor(
    source: Storage,
    target: Storage,
    work: ObjectsToCopy,
    options: Values<typeof OBJECT_COPY_OPTIONS>,
  ) {
    this.#source = source
    this.#target = target
    this.#work = work
    this.#options = options
  }

  async copyAll(): Promise<ObjectCopyReport> {
    const objects = this.#work.objects[Symbol.asyncIterator]()
    let isOver = false
    const copyNext = async (): Promise<void> => {
      while (!isOver) {
        const next = await objects.next()
        if (next.done) return
        await this.#copy(next.value)
        this.#work.onProgress?.(this.#counts)
      }
    }
    const stop = (error: unknown): never => {
      isOver = true
      throw error
    }
    const copies = Array.from({ length: this.#options.concurrency }, () => copyNext().catch(stop))
    const failure = (await Promise.allSettled(copies)).find(({ status }) => status === 'rejected')
    await objects.return?.()
    if (failure?.status === 'rejected') throw failure.reason
    return { ...this.#counts, lost: this.#lost.found, failed: this.#failed.found }
  }

  /** Rejects only after many failures. */
  async #copy(object: ObjectToCopy): Promise<void> {
    this.#counts.files++
    try {
      await this.#follow(object)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#failed.add({ key: object.key, reason })
      if (this.#failed.found.count >= MAX_FAILURES) throw error
    }
  }

  /** Copies an object from where it is, even if it moves meanwhile. */
  async #follow(object: ObjectToCopy): Promise<void> {
    let current = object
    for (let move = 0; move < MAX_MOVES; move++) {
      const outcome = await this.#copyFrom(current)
      if (outcome !== 'missing') return this.#count(outcome, current)
      const now = (await this.#work.locate?.(current)) ?? null
      if (now === null && this.#work.locate) return // Not needed any more.
      const isLost = !now || (now.key === current.key && !(await this.#source.stat(now.key)))
      if (isLost) return this.#count('missing', current)
      current = now
    }
  }

  #copyFrom(object: ObjectToCopy): Promise<ObjectOutcome> {
    const [source, target] = [this.#source, this.#target]
    const { dryRun, compare } = this.#options
    if (dryRun) return planObject({ source, target }, object)
    return copyObject({ source, target, compare, beforeChange: () => this.#beforeChange() }, object)
  }

  async #beforeChange(): Promise<void> {
    this.#changing ??= this.#work.beforeChange?.()
    try {
      await this.#changing
    } catch (error) {
      this.#changing = undefined // The next object tries again.
      throw error
    }
  }

  #count(outcome: ObjectOutcome, { key, size }: ObjectToCopy): void {
    if (outcome === 'missing' || outcome === 'damaged') this.#lost.add({ key, problem: outcome })
    else this.#counts[outcome]++
    if (outcome === 'copied' || outcome === 'replaced') this.#counts.bytes += size
  }
}
