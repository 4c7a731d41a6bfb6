import { describe, expect, it } from 'vitest'
import { idOf, png } from '../editor-fixture.ts'
import { useEditors } from '../use-editors.ts'

const { open } = useEditors()

describe('onDeleted', () => {
  it('is called for each deleted file', async () => {
    const deleted: string[] = []
    const opened = await open(
      { orphanGrace: 0 },
      {
        onDeleted: async ({ id, reason, actor }) =>
          void deleted.push(`deleted ${id} ${reason} ${actor}`),
      },
    )
    const { editor, clock } = opened
    const a = await opened.addPermanent()
    await editor.references.set({ type: 'post', id: 1 }, a.url)
    await editor.references.set({ type: 'post', id: 1 }, '', { actor: { id: 'ada' } })
    expect(deleted.splice(0)).toEqual([`deleted ${a.id} orphaned user:ada`])
    const { url } = await opened.upload('t.png', png())
    clock.advance(86_400_000)
    await editor.sweep()
    expect(deleted.splice(0)).toEqual([`deleted ${idOf(url)} expired sweep`])
  })

  it('does not fail the deletion when it throws', async () => {
    const opened = await open(
      {},
      {
        onDeleted: () => {
          throw new Error('no')
        },
      },
    )
    const { id } = await opened.addPermanent()
    expect(await opened.editor.media.remove(id)).toBe(true)
    expect(await opened.editor.media.get(id)).toMatchObject({ state: 'deleted' })
    expect(opened.logged).toEqual([
      expect.stringContaining(
        `onDeleted failed for medium ${id}. The function is not called again for this medium.`,
      ),
    ])
  })

  it('is not called for a rejected upload', async () => {
    const deleted: string[] = []
    const opened = await open(
      {},
      {
        validate: () => {
          throw new Error('no')
        },
        onDeleted: ({ id }) => void deleted.push(id),
      },
    )
    await expect(opened.upload('a.png', png())).rejects.toThrow('500')
    expect(deleted).toEqual([])
  })
})
