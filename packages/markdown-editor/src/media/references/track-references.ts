import type { SqlExecutor } from '@quillgate/server/database'
import type { Actor } from '../owner.ts'
import type { RecordKey, RecordTexts } from '../record-texts.ts'
import type { MediaReferences } from './media-references.ts'

/** What tracking needs of an editor: `editor.references`. */
export type TrackedReferences = Pick<MediaReferences, 'set' | 'settle'>

/** Options of {@link trackReferences}. */
export interface TrackingOptions {
  /**
   * Who saves right now, for example from an `AsyncLocalStorage` of the request; see `references.set`.
   * @default the application answers for all texts
   */
  actorOf?(): Actor | undefined
}

/** Follows the transactions in which an application saves records. */
export interface ReferenceTracking {
  /** A transaction begins. @param tx sees it as plain SQL */
  begin(tx: SqlExecutor): TrackedTransaction
}

/**
 * One transaction of the application, as its adapter tells it. References are written at once, inside the transaction,
 * so that they commit and roll back with the records; files are looked at after its commit only.
 *
 * Savepoints have the names that they have in SQL, and the same rules: of two with one name the later one is meant.
 */
export interface TrackedTransaction {
  /** A record was written. Saves of one transaction are done one after the other, in the order of the calls. */
  save(record: RecordKey, texts: RecordTexts): Promise<void>
  /** A record was deleted. */
  remove(record: RecordKey): Promise<void>
  savepoint(name: string): void
  releaseSavepoint(name: string): void
  rollbackToSavepoint(name: string): void
  /**
   * To be called in front of the commit: after a save whose references could not be written the transaction must not
   * commit, even if the application ignored the error.
   * @throws what that save threw
   */
  assertComplete(): void
  /** After the commit: takes care of the files that no record references any more. Never rejects. */
  committed(): Promise<void>
  /** After a rollback: nothing has happened. Never rejects. */
  rolledBack(): Promise<void>
}

/** What happened since a savepoint, or since the begin. */
interface Level {
  readonly savepoint: string | null
  readonly removed: Set<string>
  failure?: { readonly error: unknown }
}

/**
 * Makes what an ORM adapter drives: the adapter tells what its library writes, begins, commits and rolls back; what
 * becomes of references and files is decided here.
 *
 * @example
 * const tracking = trackReferences(editor.references, { actorOf: () => requests.getStore()?.user })
 * const saves = tracking.begin(executor)
 * await saves.save({ type: 'post', id: 7 }, { body })
 * await saves.committed()
 */
export function trackReferences(
  references: TrackedReferences,
  { actorOf }: TrackingOptions = {},
): ReferenceTracking {
  const by = () => {
    const actor = actorOf?.()
    return actor === undefined ? {} : { actor }
  }
  return {
    begin: (tx) =>
      createTrackedTransaction({
        write: (record, texts) => references.set(record, texts, tx, by()),
        settle: (ids) => references.settle(ids, by()),
      }),
  }
}

interface Steps {
  write(record: RecordKey, texts: RecordTexts): Promise<{ readonly removed: readonly string[] }>
  settle(ids: Iterable<string>): Promise<unknown>
}

function createTrackedTransaction({ write, settle }: Steps): TrackedTransaction {
  const levels: [Level, ...Level[]] = [newLevel(null)]
  let last: Promise<unknown> = Promise.resolve()

  const save = (record: RecordKey, texts: RecordTexts): Promise<void> => {
    const level = levels.at(-1) ?? levels[0]
    const turn = last.then(async () => {
      try {
        const { removed } = await write(record, texts)
        for (const id of removed) level.removed.add(id)
      } catch (error) {
        level.failure ??= { error }
        throw error
      }
    })
    last = turn.catch(() => {})
    return turn
  }

  /** Takes away the levels from a savepoint on. */
  const cut = (name: string): Level[] => {
    const index = levels.findLastIndex(({ savepoint }) => savepoint === name)
    return index < 0 ? [] : levels.splice(index)
  }

  /** Waits for the last save; the next transaction of this object begins anew. */
  const reset = async (): Promise<void> => {
    levels.splice(0, levels.length, newLevel(null))
    await last
  }

  return {
    save,
    remove: (record) => save(record, []),
    savepoint: (name) => void levels.push(newLevel(name)),

    releaseSavepoint(name) {
      for (const { removed, failure } of cut(name)) {
        const below = levels.at(-1) ?? levels[0]
        for (const id of removed) below.removed.add(id)
        if (failure) below.failure ??= failure
      }
    },

    rollbackToSavepoint(name) {
      // The savepoint itself stays, as in SQL.
      if (cut(name).length > 0) levels.push(newLevel(name))
    },

    assertComplete() {
      const failed = levels.find(({ failure }) => failure)
      if (failed?.failure) throw failed.failure.error
    },

    async committed() {
      const removed = new Set(levels.flatMap((level) => [...level.removed]))
      await reset()
      if (removed.size > 0) await settle(removed)
    },

    async rolledBack() {
      await reset()
    },
  }
}

function newLevel(savepoint: string | null): Level {
  return { savepoint, removed: new Set() }
}
