import 'reflect-metadata'
import { typeormCleanup, typeormRecords } from '@quillgate/markdown-editor/orm/typeorm'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTypeorm, Post, Translation, type TypeormFixture } from './fixture.ts'

describe('typeormCleanup', () => {
  describeDatabases((engine) => {
    let fixture: TypeormFixture
    beforeEach(async () => {
      fixture = await openTypeorm(engine)
    })
    afterEach(() => fixture.close())

    const exists = async (id: string): Promise<boolean> => {
      const state = (await fixture.editor.media.get(id))?.state
      return state === 'permanent'
    }
    const image = ({ url }: { url: string }): string => `![a](${url})`

    describe('save', () => {
      it('deletes what the new text has not any more, before it returns', async () => {
        const [a, b] = [await fixture.addPermanent(), await fixture.addPermanent()]
        const post = await fixture.posts.save({ title: 't', body: image(a) + image(b) })
        post.body = image(b)
        await fixture.posts.save(post)
        expect([await exists(a.id), await exists(b.id)]).toEqual([false, true])
        expect(await fixture.storedKeys()).toHaveLength(1)
      })

      it('works on active records and on records that were loaded again', async () => {
        const a = await fixture.addPermanent()
        const created = new Post()
        Object.assign(created, { title: 't', body: image(a) })
        await created.save()
        const loaded = await Post.findOneByOrFail({ id: created.id })
        loaded.body = null
        await loaded.save()
        expect(await exists(a.id)).toBe(false)
      })

      it('keeps a file that moves to another field, or stays in one (F16)', async () => {
        const a = await fixture.addPermanent()
        const post: Post = await fixture.posts.save({
          title: 't',
          body: image(a),
          summary: image(a),
        })
        post.body = ''
        await fixture.posts.save(post)
        expect(await exists(a.id)).toBe(true)
        post.body = image(a)
        post.summary = null
        await fixture.posts.save(post)
        expect(await exists(a.id)).toBe(true)
      })

      it('keeps a file that another record uses (F16)', async () => {
        const a = await fixture.addPermanent()
        const [first, second] = await fixture.posts.save([
          { title: '1', body: image(a) },
          { title: '2', body: image(a) },
        ])
        await fixture.posts.remove(first!)
        expect(await exists(a.id)).toBe(true)
        await fixture.posts.remove(second!)
        expect(await exists(a.id)).toBe(false)
      })

      it('looks at written fields only (F15, F30: partial load, partial save)', async () => {
        const a = await fixture.addPermanent()
        const { id } = await fixture.posts.save({ title: 't', body: image(a), summary: image(a) })
        const partial = await fixture.posts.findOneOrFail({
          where: { id },
          select: { id: true, title: true },
        })
        partial.title = 'new'
        await fixture.posts.save(partial)
        await fixture.posts.save({ id, summary: null })
        expect(await exists(a.id)).toBe(true)
      })

      it('does not look at fields that are not declared', async () => {
        const a = await fixture.addPermanent()
        const post = await fixture.posts.save({ title: image(a), body: 'x' })
        await fixture.posts.save({ ...post, title: 't' })
        expect((await fixture.editor.media.get(a.id))?.referencedAt).toBeNull()
      })

      it('with markdownCleanupFields = null looks at every text column, and knows composite keys', async () => {
        const a = await fixture.addPermanent()
        const translations = fixture.dataSource.getRepository(Translation)
        await translations.save({ postId: 1, language: 'en', text: image(a), note: 'x' })
        await translations.save({ postId: 1, language: 'de', text: 'x', note: image(a) })
        await translations.save({ postId: 1, language: 'en', text: 'nothing' })
        expect(await exists(a.id)).toBe(true)
        await translations.delete({ postId: 1, language: 'de' })
        expect(await exists(a.id)).toBe(false)
      })

      it('never fails because of a bad URL (F23)', async () => {
        const a = await fixture.addPermanent()
        const post = await fixture.posts.save({
          title: 't',
          body: `[x](http://[::1/a) ${image(a)}`,
        })
        await fixture.posts.save({ id: post.id, body: '[x](http://[::1/a) %E0%A4%A' })
        expect(await exists(a.id)).toBe(false)
      })
    })

    describe('transactions', () => {
      it('changes nothing on rollback (F15)', async () => {
        const [a, b] = [await fixture.addPermanent(), await fixture.addPermanent()]
        const post = await fixture.posts.save({ title: 't', body: image(a) })
        const rollback = new Error('rollback')
        const saved = fixture.dataSource.transaction(async (manager) => {
          await manager.save(Post, { id: post.id, body: image(b) })
          await manager.delete(Post, { title: 'other' })
          throw rollback
        })
        await expect(saved).rejects.toBe(rollback)
        expect([await exists(a.id), await exists(b.id)]).toEqual([true, true])
        expect((await fixture.editor.media.get(b.id))?.referencedAt).toBeNull()
      })

      it('changes nothing when the save itself fails (F15)', async () => {
        const a = await fixture.addPermanent()
        const [first] = await fixture.posts.save([
          { title: 'taken', body: image(a) },
          { title: 'other', body: '' },
        ])
        await expect(
          fixture.posts.save([
            { id: first!.id, body: 'gone' },
            { title: 'taken', body: '' },
          ]),
        ).rejects.toThrow()
        expect(await exists(a.id)).toBe(true)
      })

      it('deletes after the commit of the outermost transaction only', async () => {
        const a = await fixture.addPermanent()
        const post = await fixture.posts.save({ title: 't', body: image(a) })
        await fixture.dataSource.transaction(async (outer) => {
          await outer.transaction((inner) => inner.save(Post, { id: post.id, body: '' }))
          expect((await fixture.storage.stat(a.key)) !== null).toBe(true)
        })
        expect(await exists(a.id)).toBe(false)
      })

      it('keeps what a nested rollback takes back', async () => {
        const a = await fixture.addPermanent()
        const post = await fixture.posts.save({ title: 't', body: image(a) })
        await fixture.dataSource.transaction(async (outer) => {
          const nested = outer.transaction(async (inner) => {
            await inner.save(Post, { id: post.id, body: '' })
            throw new Error('inner')
          })
          await expect(nested).rejects.toThrow('inner')
        })
        expect(await exists(a.id)).toBe(true)
      })
    })

    describe('remove', () => {
      it('deletes the media of a removed record', async () => {
        const a = await fixture.addPermanent()
        const post = await fixture.posts.save({ title: 't', body: image(a) })
        await fixture.posts.remove(post)
        expect(await exists(a.id)).toBe(false)
      })

      it('keeps the media of a soft-removed record until it is really deleted', async () => {
        const a = await fixture.addPermanent()
        const post = await fixture.posts.save({ title: 't', body: image(a) })
        await fixture.posts.softRemove(post)
        expect(await exists(a.id)).toBe(true)
        await fixture.posts.recover(post)
        expect(await exists(a.id)).toBe(true)
        await fixture.posts.softDelete({ id: post.id })
        await fixture.posts.delete({ id: post.id })
        expect(await exists(a.id)).toBe(false)
      })
    })

    describe('bulk writes', () => {
      it('sees insert()', async () => {
        const [a, b] = [await fixture.addPermanent(), await fixture.addPermanent()]
        const { identifiers } = await fixture.posts.insert([
          { title: '1', body: image(a) },
          { title: '2', body: image(b) },
        ])
        expect((await fixture.editor.media.get(a.id))?.referencedAt).not.toBeNull()
        await fixture.posts.delete(identifiers[0]!)
        expect([await exists(a.id), await exists(b.id)]).toEqual([false, true])
      })

      it('sees update() by any condition', async () => {
        const [a, b, c] = [
          await fixture.addPermanent(),
          await fixture.addPermanent(),
          await fixture.addPermanent(),
        ]
        const [first, second] = await fixture.posts.save([
          { title: '1', body: image(a) },
          { title: '2', body: image(b) },
        ])
        await fixture.posts.update({ title: '1' }, { body: image(c) })
        expect([await exists(a.id), await exists(b.id), await exists(c.id)]).toEqual([
          false,
          true,
          true,
        ])
        await fixture.posts.update(second!.id, { body: null })
        expect(await exists(b.id)).toBe(false)
        await fixture.posts.remove(first!)
        expect(await exists(c.id)).toBe(false)
      })

      it('sees update() inside a transaction that rolls back', async () => {
        const [a, b] = [await fixture.addPermanent(), await fixture.addPermanent()]
        await fixture.posts.save({ title: '1', body: image(a) })
        const rollback = new Error('rollback')
        const saved = fixture.dataSource.transaction(async (manager) => {
          await manager.update(Post, { title: '1' }, { body: image(b) })
          throw rollback
        })
        await expect(saved).rejects.toBe(rollback)
        expect(await exists(a.id)).toBe(true)
        expect((await fixture.editor.media.get(b.id))?.referencedAt).toBeNull()
      })

      it('sees delete() by a condition, and spares what it does not take', async () => {
        const [a, b] = [await fixture.addPermanent(), await fixture.addPermanent()]
        await fixture.posts.save([
          { title: 'x', body: image(a) },
          { title: 'y', body: image(b) },
        ])
        await fixture.dataSource
          .createQueryBuilder()
          .delete()
          .from(Post)
          .where('title = :title', { title: 'x' })
          .execute()
        expect([await exists(a.id), await exists(b.id)]).toEqual([false, true])
      })

      it('refuses a text that only the database computes, and changes nothing', async () => {
        const a = await fixture.addPermanent()
        const post = await fixture.posts.save({ title: 't', body: image(a) })
        const update = fixture.posts.update(post.id, { body: () => "'x'" })
        await expect(update).rejects.toMatchObject({ code: 'expression_not_tracked' })
        expect((await fixture.posts.findOneByOrFail({ id: post.id })).body).toBe(image(a))
      })
    })

    it('lets two saves of records that share a file run at once', async () => {
      const a = await fixture.addPermanent()
      const saved = await fixture.posts.save(
        [1, 2, 3, 4].map((n) => ({ title: `${n}`, body: image(a) })),
      )
      if (engine.name === 'sqlite')
        for (const post of saved) await fixture.posts.save({ id: post.id, body: '' })
      else await Promise.all(saved.map((post) => fixture.posts.save({ id: post.id, body: '' })))
      expect(await exists(a.id)).toBe(false)
    })

    it('reads all records for a rebuild, page by page, soft-removed ones too', async () => {
      fixture.stop()
      const a = await fixture.addPermanent()
      const rows = Array.from({ length: 510 }, (_, n) => ({
        title: `${n}`,
        body: n === 505 ? image(a) : 'x',
      }))
      await fixture.posts.insert(rows)
      await fixture.posts.softDelete({ title: '505' })
      const translations = Array.from({ length: 501 }, (_, n) => ({
        postId: n % 3,
        language: `l${n}`,
        text: 'x',
      }))
      await fixture.dataSource.getRepository(Translation).insert(translations)
      const keys = new Set<string>()
      for await (const { type, id } of typeormRecords(fixture.dataSource)) keys.add(`${type} ${id}`)
      expect(keys.size).toBe(1011)
      expect(await fixture.editor.references.rebuild(typeormRecords(fixture.dataSource))).toEqual({
        records: 1011,
        added: 1,
        missing: 0,
      })
      typeormCleanup(fixture.editor, fixture.dataSource)
      await fixture.posts.delete({ title: '505' })
      expect(await exists(a.id)).toBe(false)
    })

    it('names the actor of each save where it knows it', async () => {
      fixture.stop()
      let actor: { id: string } | undefined = { id: 'grace' }
      typeormCleanup(fixture.editor, fixture.dataSource, { actorOf: () => actor })
      const a = await fixture.addPermanent()
      const post: Post = await fixture.posts.save({ title: 't', body: image(a) })
      await fixture.posts.save(Object.assign(post, { body: '' }))
      expect(await fixture.editor.media.get(a.id)).toMatchObject({
        state: 'permanent',
        referencedAt: null,
      })
      actor = { id: 'ada' }
      await fixture.posts.save(Object.assign(post, { body: image(a) }))
      await fixture.posts.delete(post.id)
      expect(await fixture.editor.media.get(a.id)).toMatchObject({
        state: 'deleted',
        actor: 'user:ada',
      })
      actor = undefined
      await fixture.posts.save({ title: 't', body: '' })
    })

    it('ends when asked to', async () => {
      fixture.stop()
      const a = await fixture.addPermanent()
      await fixture.posts.save({ title: 't', body: image(a) })
      expect((await fixture.editor.media.get(a.id))?.referencedAt).toBeNull()
    })
  })
})
