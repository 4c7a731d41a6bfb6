import { fixedPathPrefix } from '../../storage/path-template.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Installation } from '../ledger/installation.ts'
import { MARKER_KEY } from '../ledger/installation-marker.ts'
import type { LedgerDatabase } from '../ledger/ledger-database.ts'
import type { MediaLedger } from '../ledger/media-ledger.ts'
import type { Medium } from '../ledger/medium.ts'
import { copyObject, type ObjectOutcome, planObject } from './copy-object.ts'
import type { CopyOptions, CopyTally } from './copy-report.ts'
import { keysOf, outlivedObjects } from './needed-files.ts'

/** What a copy needs. */
export interface CopyDependencies {
  readonly database: LedgerDatabase
  readonly ledger: Pick<MediaLedger, 'get'>
  /** The source. */
  readonly storage: Storage
  readonly installation: Pick<Installation, 'id'>
  readonly settings: { readonly tempUploadPath: string; readonly uploadPath: string }
}

/** So many failures are no accident: the copy ends with the last one. */
const MOST_FAILURES = 100
/** Times that a file may change its place while it is copied. */
const MOST_MOVES = 5

/** The steps of one copy; what comes of them is counted. */
export class CopyRun {
  readonly #from: CopyDependencies
  readonly #target: Storage
  readonly #options: Pick<CopyOptions, 'dryRun' | 'compare'>
  readonly #tally: CopyTally
  #unmarked: Promise<unknown> | null = null

  constructor(
    from: CopyDependencies,
    target: Storage,
    options: Pick<CopyOptions, 'dryRun' | 'compare'>,
    tally: CopyTally,
  ) {
    this.#from = from
    this.#target = target
    this.#options = options
    this.#tally = tally
  }

  /** Brings the bytes of a file to the target. Rejects only after many failures. */
  async copyFile(medium: Medium): Promise<void> {
    const { counts, failed } = this.#tally
    counts.files++
    try {
      const outcome = await this.#bringFile(medium)
      if (outcome !== null) this.#count(outcome, medium)
    } catch (error) {
      failed.add({
        id: medium.id,
        key: medium.key ?? medium.tempKey,
        reason: error instanceof Error ? error.message : String(error),
      })
      if (failed.found.count >= MOST_FAILURES) throw error
    }
  }

  /** Removes from the target what files have let go of since an earlier copy. */
  async removeOutlived(): Promise<void> {
    const { database, settings } = this.#from
    for (const folder of [settings.tempUploadPath, fixedPathPrefix(settings.uploadPath)]) {
      for await (const { key } of outlivedObjects(database, this.#target, folder)) {
        if (this.#options.dryRun || (await this.#target.remove(key))) this.#tally.counts.removed++
      }
    }
  }

  /** Null when nobody needs the file any more. */
  async #bringFile(medium: Medium): Promise<ObjectOutcome | null> {
    let current: Medium | null = medium
    for (let move = 0; current && move < MOST_MOVES; move++) {
      const outcome = await this.#bringFirst(current)
      if (outcome !== 'missing') return outcome
      // Its bytes may have moved since its row was read.
      const now: Medium | null = await this.#from.ledger.get(current.id)
      if (now?.state === current.state) return 'missing'
      current = now
    }
    return null
  }

  async #bringFirst(medium: Medium): Promise<ObjectOutcome | null> {
    let outcome: ObjectOutcome | null = null
    for (const key of keysOf(medium)) {
      outcome = await this.#bring(key, medium)
      if (outcome !== 'missing') return outcome
    }
    return outcome
  }

  #bring(key: string, medium: Medium): Promise<ObjectOutcome> {
    const [source, target] = [this.#from.storage, this.#target]
    if (this.#options.dryRun) return planObject({ source, target }, key, medium)
    const compare = this.#options.compare ?? 'checksum'
    return copyObject({ source, target, compare, beforeChange: () => this.#unmark() }, key, medium)
  }

  /** While the target lacks something, nothing is deleted there. */
  async #unmark(): Promise<void> {
    this.#unmarked ??= this.#target.remove(MARKER_KEY)
    try {
      await this.#unmarked
    } catch (error) {
      this.#unmarked = null // The next file tries again.
      throw error
    }
  }

  #count(outcome: ObjectOutcome, { id, key, tempKey, size }: Medium): void {
    const { counts, lost } = this.#tally
    if (outcome === 'missing' || outcome === 'damaged')
      lost.add({ id, key: key ?? tempKey, problem: outcome })
    else counts[outcome]++
    if (outcome === 'copied' || outcome === 'replaced') counts.bytes += size ?? 0
  }
}
