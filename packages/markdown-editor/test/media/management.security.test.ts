import type { Medium } from '@quillgate/markdown-editor'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mediaMigrations } from '../../src/media/ledger/schema.ts'
import { idOf, openEditor, png, type TestEditor, type TestUser } from '../editor-fixture.ts'

const [ada, grace, root] = [{ id: 'ada' }, { id: 'grace' }, { id: 'root' }]
const DAY = 86_400
/** Posts of Ada and of Grace. */
const [hers, other] = [
  { type: 'post', id: 'ada-1' },
  { type: 'post', id: 'grace-1' },
]

describe('references.set with an actor', () => {
  describeDatabases((engine) => {
    let opened: TestEditor
    let closeDatabase: () => Promise<void>
    const calls: string[] = []

    const open = async (orphanGrace: number): Promise<void> => {
      const settings = { orphanGrace, unsavedGrace: 7 * DAY }
      const { url, close } = await engine.openMigrated([mediaMigrations])
      closeDatabase = close
      const canManage = (user: TestUser, { id }: Medium): boolean =>
        calls.push(`${user.id} ${id}`) > 0 && user.id === 'root'
      opened = await openEditor(settings, { database: url, canManage })
    }
    beforeEach(() => open(0))
    afterEach(async () => {
      calls.length = 0
      await opened.close()
      await closeDatabase()
    })

    const save = async (
      actor: TestUser | { session: string } | undefined,
      record: typeof hers,
      body: string,
    ) => {
      const by = actor === undefined ? {} : { actor }
      const { removed, missing } = await opened.editor.references.set(record, { body }, by)
      return { removed, missing }
    }
    const medium = (id: string) => opened.editor.media.get(id)
    const reopen = async (orphanGrace: number) => {
      await opened.close()
      await closeDatabase()
      await open(orphanGrace)
    }

    it.each([
      ['another user', grace],
      ['an anonymous session', { session: 'somebody' }],
    ])(
      'keeps a file that its owner has not saved yet after %s removes a mention',
      async (_name, actor) => {
        const { url, id } = await opened.addPermanent()
        await save(actor, other, url)
        expect(await save(actor, other, 'bye')).toEqual({ removed: [id], missing: [] })
        expect(await medium(id)).toMatchObject({
          state: 'permanent',
          referencedAt: null,
          savedIn: null,
        })
        await opened.editor.sweep()
        expect((await opened.get(url)).status).toBe(200)
        await save(ada, hers, url)
        expect(await medium(id)).toMatchObject({ state: 'permanent', savedIn: hers })
      },
    )

    it.each(['before', 'after'])(
      'keeps a file after others removed a mention of its temporary URL %s finalizing',
      async (when) => {
        const { url } = await opened.upload('a.png', png())
        const id = idOf(url)
        await save(grace, other, url)
        if (when === 'before') await save(grace, other, 'bye')
        await opened.finalize(`![a](${url})`)
        if (when === 'after') await save(grace, other, 'bye')
        await opened.editor.sweep()
        expect(await medium(id)).toMatchObject({ state: 'permanent', referencedAt: null })
      },
    )

    it('applies unsavedGrace to a file after others removed their mentions', async () => {
      await opened.editor.references.rebuild([])
      const { url, id } = await opened.addPermanent()
      await save(grace, other, url)
      opened.clock.advance(8 * DAY * 1000)
      expect(await opened.editor.sweep()).toMatchObject({ unsaved: 0, neverReferenced: 0 })
      expect(await medium(id)).toMatchObject({ state: 'permanent' })
      await save(grace, other, 'bye')
      expect(await medium(id)).toMatchObject({ state: 'permanent' })
      expect(await opened.editor.sweep()).toMatchObject({ unsaved: 1 })
      expect(await medium(id)).toMatchObject({ state: 'deleted', reason: 'unsaved' })
    })

    it('lets an editor remove an image from the record in which its owner saved it', async () => {
      const { url, id } = await opened.addPermanent()
      await save(ada, hers, url)
      await save(grace, hers, `${url} and more`)
      await save(grace, hers, 'more')
      expect(await medium(id)).toMatchObject({ state: 'deleted', actor: 'user:grace' })
    })

    it('respects canManage, and calls it only for files of other users', async () => {
      const { url, id } = await opened.addPermanent()
      await save(ada, hers, url)
      expect(calls).toEqual([])
      const unsaved = await opened.addPermanent()
      await save(root, other, unsaved.url)
      expect(calls).toEqual([`root ${unsaved.id}`])
      expect(await medium(unsaved.id)).toMatchObject({ savedIn: other })
      expect(await medium(id)).toMatchObject({ savedIn: hers })
      await save(root, other, '')
      expect(await medium(unsaved.id)).toMatchObject({ state: 'deleted' })
    })

    it('trusts the text if no actor is passed', async () => {
      const { url, id } = await opened.addPermanent()
      await save(undefined, other, url)
      await save(undefined, other, '')
      expect(await medium(id)).toMatchObject({ state: 'deleted' })
    })

    it('rejects null as an actor before anything is written', async () => {
      const { url, id } = await opened.addPermanent()
      const by = { actor: null as never }
      const saved = opened.editor.references.set(other, { body: url }, by)
      await expect(saved).rejects.toMatchObject({ code: 'invalid_user' })
      expect(await medium(id)).toMatchObject({ referencedAt: null })
    })

    it('restores an orphan for its owner, for a manager, and into its former record', async () => {
      await reopen(DAY)
      for (const [actor, record] of [
        [ada, { type: 'note', id: '1' }],
        [root, other],
        [undefined, other],
        [grace, hers],
      ] as const) {
        const { url, id } = await opened.addPermanent()
        await save(ada, hers, url)
        await save(ada, hers, '')
        expect((await opened.get(url)).status).toBe(404)
        expect(await save(actor, record, url)).toMatchObject({ missing: [] })
        expect(await medium(id)).toMatchObject({ state: 'permanent' })
        expect((await opened.get(url)).status).toBe(200)
      }
    })

    it('reports the orphan of another user as missing', async () => {
      await reopen(DAY)
      const { url, id } = await opened.addPermanent()
      await save(ada, hers, url)
      await save(ada, hers, '')
      expect(await save(grace, other, `mention of ${id}`)).toEqual({ removed: [], missing: [id] })
      expect(await save(grace, other, '')).toEqual({ removed: [], missing: [] })
      expect(await medium(id)).toMatchObject({ state: 'orphaned' })
      await opened.editor.references.rebuild([{ ...other, texts: { body: id }, actor: grace }])
      expect(await medium(id)).toMatchObject({ state: 'orphaned' })
      expect((await opened.get(url)).status).toBe(404)
    })

    describe('media.remove', () => {
      const remove = (id: string, actor?: TestUser | { label: string }) =>
        opened.editor.media.remove(id, actor && { actor })

      it.each([
        ['another user', grace],
        ['a user who may manage the file', root],
        ['an anonymous session', { session: 'somebody' }],
      ])('removes a file for its owner even if texts of %s mention it', async (_name, actor) => {
        const { url, id } = await opened.addPermanent()
        await save(ada, hers, url)
        await save(actor, other, url)
        await save(ada, hers, 'bye')
        expect((await opened.get(url)).status).toBe(200)
        expect(await remove(id, ada)).toBe(true)
        expect((await opened.get(url)).status).toBe(404)
        expect(await medium(id)).toMatchObject({
          state: 'deleted',
          reason: 'removed',
          actor: 'user:ada',
        })
        expect(await opened.editor.check()).toMatchObject({ dangling: { count: 0 } })
        expect(await save(grace, { type: 'post', id: 'grace-2' }, url)).toEqual({
          removed: [],
          missing: [id],
        })
      })

      it('does not restore the file when the other user saves the mention again', async () => {
        await reopen(DAY)
        const { url, id } = await opened.addPermanent()
        await save(ada, hers, url)
        await save(grace, other, url)
        await save(ada, hers, 'bye')
        expect(await remove(id, ada)).toBe(true)
        expect(await save(grace, other, `${url} again`)).toEqual({ removed: [], missing: [id] })
        expect(await medium(id)).toMatchObject({ state: 'orphaned' })
        opened.clock.advance(DAY * 1000)
        expect(await opened.editor.sweep()).toMatchObject({ orphaned: 1 })
        expect(await opened.storedKeys()).toEqual([])
      })

      it.each([
        ['of the owner', ada],
        ['that the application saved', undefined],
      ])(
        'does not remove a file that a record %s references, and keeps all references',
        async (_name, actor) => {
          const { url, id } = await opened.addPermanent()
          await save(actor, hers, url)
          await save(grace, other, url)
          await expect(remove(id, ada)).rejects.toMatchObject({ code: 'media_in_use', status: 409 })
          await save(ada, hers, 'bye')
          expect(await medium(id)).toMatchObject({ state: 'permanent' })
        },
      )

      it('does not remove a file that its owner saved in the record of another user', async () => {
        const { url, id } = await opened.addPermanent()
        await save(grace, other, url)
        await save(ada, other, `${url} from Ada`)
        await save(grace, other, `${url} from Grace`)
        await expect(remove(id, ada)).rejects.toMatchObject({ code: 'media_in_use' })
      })

      it.each([
        ['another user', grace],
        ['a user who may manage the file', root],
        ['a job of the application', { label: 'tidy job' }],
        ['no actor', undefined],
      ])('refuses a file with any reference for %s', async (_name, actor) => {
        const { url, id } = await opened.addPermanent()
        await save(grace, other, url)
        await expect(remove(id, actor)).rejects.toMatchObject({ code: 'media_in_use' })
      })
    })

    it('deletes by deleteOrphanedMedia only files that the actor manages or the record contained', async () => {
      const { editor } = opened
      const { url, id } = await opened.addPermanent()
      const text = `![a](${url})`
      await save(grace, other, text)
      expect(await editor.deleteOrphanedMedia(text, '', { actor: grace })).toEqual([])
      expect(await editor.deleteOrphanedMedia(text, '', { actor: grace, record: other })).toEqual(
        [],
      )
      await save(grace, other, '')
      await save(ada, hers, text)
      expect(await editor.deleteOrphanedMedia(text, '', { actor: grace, record: other })).toEqual(
        [],
      )
      expect(await medium(id)).toMatchObject({ state: 'permanent' })
      expect(
        await editor.deleteOrphanedMedia(text, '', { actor: grace, record: hers }),
      ).toHaveLength(1)
      for (const actor of [ada, root]) {
        const own = await opened.addPermanent()
        expect(await editor.deleteOrphanedMedia(`![a](${own.url})`, '', { actor })).toHaveLength(1)
      }
    })
  })
})

describe('references.set with thousands of ids', () => {
  describeDatabases((engine) => {
    it('rejects a text with more than 10,000 ids, and writes nothing', async () => {
      const { url, close } = await engine.openMigrated([mediaMigrations])
      const opened = await openEditor({}, { database: url })
      const { id } = await opened.addPermanent()
      const ids = Array.from({ length: 10_000 }, (_, n) => `m${String(n).padStart(26, '0')}`)
      const set = opened.editor.references.set(hers, { body: [id, ...ids].join(' ') })
      await expect(set).rejects.toMatchObject({ code: 'too_many_media', status: 413 })
      expect(await opened.editor.media.get(id)).toMatchObject({ referencedAt: null })
      const { added, missing } = await opened.editor.references.set(hers, {
        body: [id, ...ids.slice(1)].join(' '),
      })
      expect([added, missing.length]).toEqual([[id], 9999])
      await opened.close()
      await close()
    })
  })
})
