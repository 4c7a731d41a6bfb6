import 'reflect-metadata'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, describe, expect, it } from 'vitest'
import { Note, openTypeorm, type Post, type TypeormFixture } from './fixture.ts'

const DAY = 86_400_000

describe('texts that typeormCleanup does not track', () => {
  describeDatabases((engine) => {
    let fixture: TypeormFixture
    afterEach(() => fixture.close())

    const statusOf = async (url: string): Promise<number> => (await fixture.get(url)).status

    /** Saves images in a tracked field, an unlisted field, and an entity without the mixin. */
    const saveThree = async () => {
      const pictures = [
        await fixture.addPermanent(),
        await fixture.addPermanent(),
        await fixture.addPermanent(),
      ]
      const [tracked, unlisted, elsewhere] = pictures.map(({ url }) => url) as [
        string,
        string,
        string,
      ]
      const post = await fixture.posts.save({
        title: `![a](${unlisted})`,
        body: `![a](${tracked})`,
      })
      await fixture.dataSource.getRepository(Note).save({ text: `![a](${elsewhere})` })
      return { post, tracked, unlisted, elsewhere }
    }

    it.each([true, false])(
      'keep their images through all sweeps, with cleanupMedia: %s',
      async (cleanupMedia) => {
        fixture = await openTypeorm(engine, { cleanupMedia })
        const { editor, clock } = fixture
        const { post, tracked, unlisted, elsewhere } = await saveThree()
        await editor.references.rebuild([{ type: 'post', id: post.id, texts: { body: post.body } }])
        for (const days of [1, 7, 30, 400]) {
          clock.advance(days * DAY)
          await editor.sweep()
        }
        for (const url of [tracked, unlisted, elsewhere]) expect(await statusOf(url)).toBe(200)

        await fixture.posts.save({ ...post, body: '' })
        clock.advance(30 * DAY)
        await editor.sweep()
        expect(await statusOf(tracked)).toBe(cleanupMedia ? 404 : 200)
        expect(await statusOf(unlisted)).toBe(200)
        expect(await statusOf(elsewhere)).toBe(200)
      },
    )

    it('lose their images if unsavedGrace is set, which requires that every text is tracked', async () => {
      fixture = await openTypeorm(engine, { unsavedGrace: 7 * 86_400 })
      await fixture.editor.references.rebuild([])
      const { tracked, unlisted, elsewhere } = await saveThree()
      fixture.clock.advance(8 * DAY)
      expect(await fixture.editor.sweep()).toMatchObject({ unsaved: 2 })
      expect(await statusOf(tracked)).toBe(200)
      for (const url of [unlisted, elsewhere]) expect(await statusOf(url)).toBe(404)
    })

    it('do not protect a file that leaves a tracked field', async () => {
      fixture = await openTypeorm(engine)
      const { post, tracked } = await saveThree()
      await fixture.dataSource.getRepository(Note).save({ text: `![a](${tracked})` })
      await fixture.posts.save({ ...post, body: '' } as Post)
      expect(await statusOf(tracked)).toBe(404)
    })
  })
})
