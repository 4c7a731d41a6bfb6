import { memoryStorage } from '@quillgate/storage/testing'
import { describe, expect, it } from 'vitest'
import { rejectFile } from '../../src/media/cleanup.ts'
import type { MediaServices } from '../../src/media/services.ts'
import { idOf, png } from '../editor-fixture.ts'
import { useEditors } from '../use-editors.ts'
import { openLedger, withMethods } from './upload/open-ledger.ts'

const { ends, open } = useEditors()

describe('a scanner that takes its time', () => {
  it('holds a file back until it is released', async () => {
    const scanned: string[] = []
    const opened = await open(
      {},
      {
        validate: async ({ name }, { id, owner, user, quarantine }) => {
          scanned.push(`${name} of ${owner}, ${user?.id}: ${id}`)
          await quarantine()
        },
      },
    )
    const { editor, get } = opened
    const { url } = await opened.upload('a.png', png())
    const id = idOf(url)
    expect(scanned).toEqual([`a.png of user:ada, ada: ${id}`])
    expect((await get(url)).status).toBe(404)
    const { replacements } = await opened.finalize(`![a](${url})`)
    const permanent = replacements[url] ?? ''
    for (const path of [url, permanent]) expect((await get(path)).status).toBe(404)
    expect(await editor.media.get(id)).toMatchObject({
      state: 'permanent',
      quarantinedAt: opened.clock(),
    })

    expect(await editor.media.release(id)).toBe(true)
    expect((await get(permanent)).status).toBe(200)
    expect(await editor.media.release(id)).toBe(false)
    expect(await editor.media.reject(id)).toBe(false)
    expect((await get(permanent)).status).toBe(200)
  })

  it.each(['temporary', 'permanent', 'referenced'] as const)(
    'deletes a %s file that is rejected',
    async (how) => {
      const deleted: unknown[] = []
      const opened = await open(
        { orphanGrace: 86_400 },
        {
          validate: (_file, { quarantine }) => quarantine(),
          onDeleted: (file) => void deleted.push(file),
        },
      )
      const { editor } = opened
      const { url } = await opened.upload('a.png', png())
      if (how !== 'temporary') await opened.finalize(`![a](${url})`)
      if (how === 'referenced') await editor.references.set({ type: 'post', id: 1 }, url)
      expect(await editor.media.reject(idOf(url), { actor: { label: 'clamd' } })).toBe(true)
      expect(await opened.storedKeys()).toEqual([])
      expect(await editor.media.get(idOf(url))).toMatchObject({
        state: 'deleted',
        reason: 'rejected',
        actor: 'clamd',
      })
      expect(deleted).toEqual([expect.objectContaining({ id: idOf(url), reason: 'rejected' })])
      expect(await editor.references.set({ type: 'post', id: 2 }, url)).toMatchObject({
        missing: [idOf(url)],
      })
      expect(await editor.media.reject(idOf(url))).toBe(false)
    },
  )

  it('releases no file that was rejected', async () => {
    const opened = await open({}, { validate: (_file, { quarantine }) => quarantine() })
    const { url } = await opened.upload('a.png', png())
    await opened.editor.media.reject(idOf(url))
    expect(await opened.editor.media.release(idOf(url))).toBe(false)
  })

  it('rejects a file that is finalized at that moment', async () => {
    const opened = await open({}, { validate: (_file, { quarantine }) => quarantine() })
    const { url } = await opened.upload('a.png', png())
    const [copying, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { copy } = opened.storage
    opened.storage.copy = async (from, to) => {
      copying.resolve()
      await goOn.promise
      return copy.call(opened.storage, from, to)
    }
    const finalizing = opened.finalize(`![a](${url})`)
    await copying.promise
    const rejecting = opened.editor.media.reject(idOf(url))
    goOn.resolve()
    expect(await rejecting).toBe(true)
    await finalizing
    expect(await opened.storedKeys()).toEqual([])
    expect(await opened.editor.media.get(idOf(url))).toMatchObject({
      state: 'deleted',
      reason: 'rejected',
    })
  })

  it('rejects a file whose promotion ends between two looks at it', async () => {
    const { ledger, close } = await openLedger()
    ends.push(close)
    await ledger.begin({
      id: 'm1',
      owner: 'user:1',
      name: 'a',
      type: 'image/png',
      tempKey: 'tmp/m1-a',
      createdAt: 1,
    })
    await ledger.quarantine('m1', 2)
    await ledger.complete('m1', { name: 'a', type: 'image/png', size: 3, checksum: 'c0ffee' }, 3)
    await ledger.beginPromotion('m1', 'up/m1-a', 4)
    const quick = withMethods(ledger, {
      get: async (id: string) => {
        await ledger.completePromotion(id, 5)
        return ledger.get(id)
      },
    })
    const services: Partial<MediaServices> = {
      ledger: quick,
      storage: memoryStorage(),
      clock: () => 6,
    }
    expect(await rejectFile(services as MediaServices, 'm1')).toBe(true)
    expect(await ledger.get('m1')).toMatchObject({ state: 'deleted', reason: 'rejected' })
  })
})

describe('onDeleted', () => {
  it('hears of each file that goes', async () => {
    const heard: string[] = []
    const opened = await open(
      { orphanGrace: 0 },
      {
        onDeleted: async ({ id, reason, actor }) =>
          void heard.push(`deleted ${id} ${reason} ${actor}`),
      },
    )
    const { editor, clock } = opened
    const a = await opened.addPermanent()
    await editor.references.set({ type: 'post', id: 1 }, a.url)
    await editor.references.set({ type: 'post', id: 1 }, '', { actor: { id: 'ada' } })
    expect(heard.splice(0)).toEqual([`deleted ${a.id} orphaned user:ada`])
    const { url } = await opened.upload('t.png', png())
    clock.advance(86_400_000)
    await editor.sweep()
    expect(heard.splice(0)).toEqual([`deleted ${idOf(url)} expired sweep`])
  })

  it('fail nothing when they throw', async () => {
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
    expect(opened.logged).toEqual([expect.stringContaining('onDeleted')])
  })

  it('hear nothing of an upload that was refused', async () => {
    const heard: string[] = []
    const opened = await open(
      {},
      {
        validate: () => {
          throw new Error('no')
        },
        onDeleted: ({ id }) => void heard.push(id),
      },
    )
    await expect(opened.upload('a.png', png())).rejects.toThrow('500')
    expect(heard).toEqual([])
  })
})

describe('editor.media.list', () => {
  it('lists files page by page, the newest first', async () => {
    const { editor, clock, addPermanent } = await open({ orphanGrace: 86_400 })
    const ids: string[] = []
    for (let n = 0; n < 5; n++) {
      ids.unshift((await addPermanent(n % 2 ? 'grace' : 'ada')).id)
      if (n < 3) clock.advance(1) // Some at the same time.
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

  it('shows the trash', async () => {
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

  it('refuses a state that there is not', async () => {
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
