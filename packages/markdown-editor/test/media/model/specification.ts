import type { DeletionReason, MediaState } from '../../../src/media/ledger/medium.ts'
import { mayDecide } from './people.ts'
import { GRACES } from './world.ts'

export interface SpecifiedFile {
  state: MediaState
  owner: string
  readonly size: number
  readonly createdAt: number
  finalizedAt: number | null
  referencedAt: number | null
  /** `type/id` of the record in which a person who manages the file last saved it. */
  savedIn: string | null
  orphanedAt: number | null
  reason: DeletionReason | null
  actor: string | null
}

/** The owner key of the person who saves, or null for the application. */
export type Writer = string | null

/** The label of the application as an actor. */
export const APPLICATION = 'editorial job'

/** The media ids in the texts of a record, by field name in the ledger. */
export type MentionsByField = ReadonlyMap<string, ReadonlySet<string>>

/** Specifies the life cycle of media for sequential steps, without storage, locks and retries. */
export class Specification {
  files = new Map<string, SpecifiedFile>()
  /** The references of each file, as `type/id/field`. */
  references = new Map<string, Set<string>>()
  now: number
  readonly orphanGrace: number

  constructor(now: number, orphanGrace: number) {
    this.now = now
    this.orphanGrace = orphanGrace
  }

  upload(id: string, owner: string, size: number): void {
    const none = {
      finalizedAt: null,
      referencedAt: null,
      savedIn: null,
      orphanedAt: null,
      reason: null,
      actor: null,
    }
    this.files.set(id, { state: 'temporary', owner, size, createdAt: this.now, ...none })
    this.references.set(id, new Set())
  }

  usage(owner: string): number {
    const own = [...this.files.values()].filter(
      (file) => file.owner === owner && file.state !== 'deleted',
    )
    return own.reduce((sum, { size }) => sum + size, 0)
  }

  /** @returns whether the URL is replaced. Otherwise, it is reported as missing */
  finalize(id: string, owner: string): boolean {
    const file = this.#file(id)
    if (file.state === 'deleted' || !mayDecide(owner, file.owner)) return false
    if (file.state === 'temporary') {
      file.state = 'permanent'
      file.finalizedAt = this.now
      file.referencedAt = file.referencedAt !== null && this.#isReferenced(id) ? this.now : null
    }
    return true
  }

  save(
    record: string,
    fields: MentionsByField,
    isWhole: boolean,
    writer: Writer,
  ): { removed: string[]; missing: string[] } {
    const before = this.#referencedBy(record)
    const missing = this.addReferences(record, fields, writer)
    for (const [id, places] of this.references) {
      for (const place of places) {
        const field = place.slice(record.length + 1)
        if (!place.startsWith(`${record}/`) || !(isWhole || fields.has(field))) continue
        if (!fields.get(field)?.has(id) || missing.includes(id)) places.delete(place)
      }
    }
    const after = this.#referencedBy(record)
    return { removed: before.filter((id) => !after.includes(id)), missing }
  }

  /** @returns the missing ids */
  addReferences(record: string, fields: MentionsByField, writer: Writer): string[] {
    const missing = new Set<string>()
    for (const [field, ids] of fields) {
      for (const id of ids) {
        if (this.#mayReference(id, record, writer))
          this.references.get(id)?.add(`${record}/${field}`)
        else missing.add(id)
      }
    }
    return [...missing]
  }

  #mayReference(id: string, record: string, writer: Writer): boolean {
    const file = this.#file(id)
    if (file.state === 'deleted') return false
    const manages = writer === null || mayDecide(writer, file.owner)
    if (!manages && file.state !== 'orphaned') return true
    if (!manages && file.savedIn !== record) return false
    if (file.state === 'orphaned') file.state = 'permanent'
    file.referencedAt ??= this.now
    Object.assign(file, { savedIn: record, orphanedAt: null, reason: null, actor: null })
    return true
  }

  settle(ids: Iterable<string>, actor: string): void {
    for (const id of ids) {
      const file = this.#file(id)
      if (file.state !== 'permanent' || file.referencedAt === null || this.#isReferenced(id))
        continue
      if (this.orphanGrace === 0) this.#delete(file, 'orphaned', actor)
      else this.#orphan(file, 'orphaned', actor)
    }
  }

  /** @param except a reference, as `type/id/field`, that does not protect a file */
  deleteOrphanedMedia(ids: Iterable<string>, writer: Writer, except: string | null): void {
    for (const id of ids) {
      const file = this.#file(id)
      const isLastRecord =
        except !== null && file.savedIn !== null && except.startsWith(`${file.savedIn}/`)
      if (writer !== null && !isLastRecord && !mayDecide(writer, file.owner)) continue
      if (file.state !== 'permanent' && file.state !== 'orphaned') continue
      if (except) this.references.get(id)?.delete(except)
      if (!this.#isReferenced(id)) this.#delete(file, 'orphaned', writer ?? APPLICATION)
    }
  }

  remove(id: string, actor: string): void {
    const file = this.#file(id)
    if (this.#isReferenced(id) || file.state === 'deleted') return
    const isTrash = this.orphanGrace > 0 && file.state !== 'temporary'
    if (!isTrash) this.#delete(file, 'removed', actor)
    else if (file.state === 'permanent') this.#orphan(file, 'removed', actor)
  }

  restore(id: string): void {
    const file = this.#file(id)
    if (file.state !== 'orphaned') return
    const unsaved = { referencedAt: null, orphanedAt: null, reason: null, actor: null }
    Object.assign(file, { state: 'permanent', finalizedAt: this.now, ...unsaved })
  }

  claim(from: string, to: string): void {
    for (const file of this.files.values()) if (file.owner === from) file.owner = to
  }

  sweep(): void {
    const isOver = (since: number | null, grace: number): boolean =>
      since !== null && since <= this.now - grace * 1000
    for (const [id, file] of this.files) {
      const { state, referencedAt } = file
      if (this.#isReferenced(id)) continue
      if (state === 'temporary' && isOver(file.createdAt, GRACES.tempMaxAge))
        this.#delete(file, 'expired', 'sweep')
      if (state === 'permanent' && referencedAt !== null) this.#orphan(file, 'orphaned', 'sweep')
      if (
        state === 'permanent' &&
        referencedAt === null &&
        isOver(file.finalizedAt, GRACES.unsavedGrace)
      ) {
        this.#delete(file, 'unsaved', 'sweep')
      }
      if (file.state === 'orphaned' && isOver(file.orphanedAt, this.orphanGrace))
        file.state = 'deleted'
    }
  }

  #orphan(file: SpecifiedFile, reason: DeletionReason, actor: string): void {
    Object.assign(file, { state: 'orphaned', orphanedAt: this.now, reason, actor })
  }

  #delete(file: SpecifiedFile, reason: DeletionReason, actor: string): void {
    Object.assign(file, { state: 'deleted', reason, actor })
  }

  #file(id: string): SpecifiedFile {
    const file = this.files.get(id)
    if (!file) throw new Error(`There is no file ${id}.`)
    return file
  }

  #isReferenced(id: string): boolean {
    return (this.references.get(id)?.size ?? 0) > 0
  }

  #referencedBy(record: string): string[] {
    const isOf = (place: string): boolean => place.startsWith(`${record}/`)
    return [...this.references].filter(([, places]) => [...places].some(isOf)).map(([id]) => id)
  }
}
