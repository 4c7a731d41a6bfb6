import { afterEach, describe, expect, it } from 'vitest'
import type { Medium } from '../../src/media/ledger/medium.ts'
import {
  type OpenOptions,
  type OpenRoutes,
  openRoutes,
  problemOf,
  type Visitor,
} from './open-routes.ts'
import { promoteFile, uploadFile } from './stored-files.ts'

type Authorize = NonNullable<NonNullable<OpenOptions['routes']>['authorize']>

let editor: OpenRoutes
afterEach(() => editor.close())

/** Opens routes with a permanent file of ada. */
async function openPrivate(
  authorize: Authorize | undefined,
  routes: NonNullable<OpenOptions['routes']> = {},
): Promise<{ medium: Medium; url: string }> {
  editor = await openRoutes({ routes: { ...routes, ...(authorize ? { authorize } : {}) } })
  const medium = await promoteFile(editor, await uploadFile(editor, '0123', 'a.txt', 'text/plain'))
  return { medium, url: `/media/${medium.key}` }
}

const get = (url: string, as: Visitor = {}, init: RequestInit = {}): Promise<Response> =>
  editor.send(url, init, { csrf: 'none', ...as })

const ownersOnly: Authorize = (user, { owner }) => `user:${user?.id}` === owner

describe('authorize', () => {
  it('decides who can read a file, and disables shared caching and cross-origin use', async () => {
    const { url, medium } = await openPrivate(ownersOnly)
    const response = await get(url, { user: 'ada' })
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(response.headers.get('cross-origin-resource-policy')).toBe('same-site')
    for (const path of [url, `/media/${medium.tempKey}`]) {
      expect((await get(path, { user: 'grace' })).status).toBe(404)
      expect((await get(path)).status).toBe(404)
    }
  })

  it('also decides on temporary files', async () => {
    editor = await openRoutes({ routes: { authorize: ownersOnly } })
    const { tempKey } = await uploadFile(editor, '0123', 'a.txt', 'text/plain')
    expect((await get(`/media/${tempKey}`, { user: 'ada' })).status).toBe(200)
    expect((await get(`/media/${tempKey}`, { user: 'grace' })).status).toBe(404)
  })

  it('gives the same answer for forbidden and for unknown files', async () => {
    const calls: string[] = []
    const { url, medium } = await openPrivate((user, media) => {
      calls.push(media.id)
      return ownersOnly(user, media)
    })
    const unknown = url.replace(medium.id, `m${'0'.repeat(26)}`)
    const conditions = [{}, { range: 'bytes=9-' }, { 'if-none-match': '*' }, { 'if-match': '"x"' }]
    for (const method of ['GET', 'HEAD']) {
      for (const headers of conditions) {
        const [forbidden, none] = [
          await get(url, { user: 'grace' }, { method, headers }),
          await get(unknown, { user: 'grace' }, { method, headers }),
        ]
        expect(forbidden.status).toBe(404)
        expect(none.status).toBe(404)
        expect(Object.fromEntries(forbidden.headers)).toEqual(Object.fromEntries(none.headers))
        expect(await forbidden.text()).toBe(await none.text())
      }
    }
    expect(new Set(calls)).toEqual(new Set([medium.id]))
  })

  it('authenticates once for existing and for unknown files alike', async () => {
    let calls = 0
    const { url, medium } = await openPrivate(ownersOnly, {
      authenticate: ({ request }) => {
        calls++
        return /user=ada/.test(request.headers.get('cookie') ?? '') ? { id: 'ada' } : null
      },
    })
    const count = async (path: string): Promise<number> => {
      calls = 0
      await get(path, { user: 'grace' })
      return calls
    }
    expect(await count(url)).toBe(1)
    expect(await count(url.replace(medium.id, `m${'0'.repeat(26)}`))).toBe(1)
    expect(await count('/media/nothing')).toBe(1)
  })

  it('is not called for paths without a file', async () => {
    const calls: string[] = []
    const { url, medium } = await openPrivate((_user, { state }) => {
      calls.push(state)
      return true
    })
    expect((await get(url.replace('a.txt', 'b.txt'))).status).toBe(404)
    expect((await get(url.replace('/2026/', '/2025/'))).status).toBe(404)
    await editor.ledger.transition(medium.id, {
      from: ['permanent'],
      to: 'deleting',
      at: editor.clock(),
      reason: 'removed',
      actor: 'user:ada',
    })
    expect((await get(url)).status).toBe(404)
    expect(calls).toEqual([])
  })

  it.each([undefined, null, 1, 'yes', {}, []])(
    'allows a file only for true, not for %j',
    async (answer) => {
      const { url } = await openPrivate(() => answer as never)
      expect((await get(url, { user: 'ada' })).status).toBe(404)
    },
  )

  it('hides the errors that it throws from clients', async () => {
    const { url } = await openPrivate(() => {
      throw new Error('the password of the database is hunter2')
    })
    for (const method of ['GET', 'HEAD']) {
      const response = await get(url, { user: 'ada' }, { method })
      expect(response.status).toBe(500)
      expect(response.headers.get('etag')).toBeNull()
      if (method === 'GET')
        expect(JSON.stringify(await problemOf(response))).not.toContain('hunter2')
    }
    expect(editor.unexpected).toHaveLength(2)
  })

  it.each([false, 'ada', {}, { id: '' }])(
    'accepts %j neither as a user nor as an anonymous visitor',
    async (user) => {
      const { url, medium } = await openPrivate(() => true)
      await editor.close()
      const { storage } = editor
      editor = await openRoutes({
        storage,
        routes: {
          get: async () => medium,
          authorize: () => true,
          authenticate: () => user as never,
        },
      })
      expect(await problemOf(await get(url))).toMatchObject({ status: 500, code: 'invalid_user' })
    },
  )
})
