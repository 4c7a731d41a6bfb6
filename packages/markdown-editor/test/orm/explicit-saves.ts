import type { SqlExecutor } from '@quillgate/server/database'
import type { MediaReferences } from '../../src/markdown-editor.ts'
import type { CleanupOptions } from '../../src/orm/record-saves.ts'
import type { OrmNote, OrmPost, OrmSaves } from './suite/orm-fixture.ts'

type NoteKey = Pick<OrmNote, 'postId' | 'language'>

export interface Writes {
  readonly executor: SqlExecutor
  insertPost(values: Partial<OrmPost>): Promise<number>
  updatePost(id: number, values: Partial<OrmPost>): Promise<void>
  deletePost(id: number): Promise<void>
  findPosts(
    where: Partial<Pick<OrmPost, 'title' | 'topic'> & { id: number }>,
  ): Promise<(OrmPost & { id: number })[]>
  insertNote(note: OrmNote): Promise<void>
  updateNote(key: NoteKey, values: Partial<OrmNote>): Promise<void>
  deleteNote(key: NoteKey): Promise<void>
  nested(work: (writes: Writes) => Promise<void>): Promise<void>
}

export type Transaction = (work: (writes: Writes) => Promise<void>) => Promise<void>

/** Saves records with explicit calls of `references.set`, as needed if a library has no hooks. */
export function explicitSaves(
  references: MediaReferences,
  { actorOf }: CleanupOptions,
  transaction: Transaction,
): OrmSaves {
  const by = () => {
    const actor = actorOf?.()
    return actor === undefined ? {} : { actor }
  }
  return savesIn(references, by, async (work) => {
    const removed = new Set<string>()
    await transaction((writes) => work(writes, removed))
    await references.settle(removed, by())
  })
}

type Run = (work: (writes: Writes, removed: Set<string>) => Promise<void>) => Promise<void>

function savesIn(
  references: MediaReferences,
  by: () => Parameters<MediaReferences['settle']>[1],
  run: Run,
): OrmSaves {
  const write = async (
    work: (
      writes: Writes,
      set: (id: number, texts: Partial<OrmPost>) => Promise<void>,
    ) => Promise<unknown>,
  ): Promise<void> =>
    run(async (writes, removed) => {
      await work(writes, async (id, { body, summary }) => {
        const texts = { body, summary }
        const change = await references.set({ type: 'post', id }, texts, {
          tx: writes.executor,
          ...by(),
        })
        for (const each of change.removed) removed.add(each)
      })
    })
  const remove = (
    writes: Writes,
    id: number,
    set: (id: number, texts: Partial<OrmPost>) => Promise<void>,
  ) => writes.deletePost(id).then(() => set(id, { body: null, summary: null }))
  const note = (
    { postId, language }: NoteKey,
    texts: Partial<Record<'text' | 'remark', string>> | null,
    work: (writes: Writes) => Promise<void>,
  ): Promise<void> =>
    run(async (writes, removed) => {
      await work(writes)
      const record = { type: 'note', id: JSON.stringify([String(postId), language]) }
      const change = await references.set(record, texts ?? [], { tx: writes.executor, ...by() })
      for (const each of change.removed) removed.add(each)
    })
  return {
    async insertPost(values) {
      let id = Number.NaN
      await write(async (writes, set) => {
        id = await writes.insertPost(values)
        await set(id, values)
      })
      return id
    },
    updatePost: (id, values) =>
      write(async (writes, set) => {
        await writes.updatePost(id, values)
        await set(id, values)
      }),
    updateTopic: (topic, values) =>
      write(async (writes, set) => {
        for (const { id } of await writes.findPosts({ topic })) {
          await writes.updatePost(id, values)
          await set(id, values)
        }
      }),
    upsertPost: ({ title, body }) =>
      write(async (writes, set) => {
        const [found] = await writes.findPosts({ title })
        const id = found?.id ?? (await writes.insertPost({ title, body }))
        if (found) await writes.updatePost(id, { body })
        await set(id, { body })
      }),
    retitlePost: (id, title) => write((writes) => writes.updatePost(id, { title })),
    softDeletePost: (id) => write((writes) => writes.updatePost(id, { deletedAt: 'now' })),
    deletePost: (id) => write((writes, set) => remove(writes, id, set)),
    deleteTopic: (topic) =>
      write(async (writes, set) => {
        for (const { id } of await writes.findPosts({ topic })) await remove(writes, id, set)
      }),
    async findPost(id) {
      let found: OrmPost | undefined
      await run(async (writes) => {
        ;[found] = await writes.findPosts({ id })
      })
      return found ?? null
    },
    insertNote: ({ text, remark, ...key }) =>
      note(key, { text, remark }, (writes) => writes.insertNote({ ...key, text, remark })),
    updateNote: (key, values) => note(key, values, (writes) => writes.updateNote(key, values)),
    deleteNote: (key) => note(key, null, (writes) => writes.deleteNote(key)),
    transaction: (work) =>
      run((writes, removed) =>
        work(savesIn(references, by, (inner) => writes.nested((own) => inner(own, removed)))),
      ),
  }
}
