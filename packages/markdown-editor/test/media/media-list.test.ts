import { describe, expect, it } from 'vitest'
import { useEditors } from '../use-editors.ts'

const { open } = useEditors()

describe('editor.media.list', () => {
  it('lists files page by page, newest first', async () => {
    const { editor, clock, addPermanent } = await open({ orphanGrace: 86_400 })
    const ids: string[] = []
    for (let n = 0; n < 5; n++) {
      ids.unshift((await addPermanent(n % 2 ? 'grace' : 'ada')).id)
      if (n < 3) clock.advance(1) // The last two files have the same time.
    }
    const listed: string[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof editor.media.list>> = await editor.media.list({
        limit: 2,
        ...(cursor === null ? {} : { cursor }),
      })
      listed.push(...page.media.map(({ id }) => id))
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(listed).toHaveLength(5)
    expect([...listed].sort()).toEqual([...ids].sort())
    expect(listed.slice(2)).toEqual(ids.slice(2))
    const { media } = await editor.media.list({ owner: { id: 'grace' } })
    expect(media.map(({ owner }) => owner)).toEqual(['user:grace', 'user:grace'])
  })

  it('lists the trash', async () => {
    const { editor, addPermanent } = await open({ orphanGrace: 86_400 })
    const { id } = await addPermanent()
    await editor.media.remove(id, { actor: { id: 'ada' } })
    const trash = await editor.media.list({ state: 'orphaned' })
    expect(trash).toMatchObject({
      media: [{ id, reason: 'removed', actor: 'user:ada' }],
      nextCursor: null,
    })
    await editor.media.restore(id)
    expect((await editor.media.list({ state: 'orphaned' })).media).toEqual([])
  })

  it('rejects an unknown state', async () => {
    const { editor } = await open()
    const state = 'orphand' as 'orphaned'
    await expect(editor.media.list({ state })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('permanent, orphaned'),
    })
  })

  it.each([{ limit: 0 }, { limit: 501 }, { limit: 1.5 }, { cursor: 'x' }, { cursor: "1.a'b" }])(
    'refuses %o',
    async (options) => {
      const { editor } = await open()
      await expect(editor.media.list(options)).rejects.toMatchObject({
        code: 'invalid_request',
        status: 400,
      })
    },
  )
})
