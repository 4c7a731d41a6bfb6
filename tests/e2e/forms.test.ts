import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningDemo, startDemo } from '../support/demo.ts'

describe("the demo's forms", () => {
  let demo: RunningDemo

  beforeAll(async () => {
    demo = await startDemo({ QUILLGATE_LOGIN_RATE_LIMIT: 'off' })
  })

  afterAll(() => demo?.stop())

  /** Creates a minimal browser for forms. The browser keeps cookies and follows no redirects. */
  function createVisitor() {
    const jar = new Map<string, string>()
    const send = async (
      path: string,
      body?: URLSearchParams | Buffer,
      headers: Record<string, string> = {},
    ) => {
      const response = await fetch(new URL(path, demo.url), {
        method: body ? 'POST' : 'GET',
        redirect: 'manual',
        headers: {
          origin: demo.url,
          cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
          ...(body ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
          ...headers,
        },
        ...(body
          ? { body: body instanceof URLSearchParams ? body.toString() : new Uint8Array(body) }
          : {}),
      })
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
        if (/max-age=0/i.test(cookie)) jar.delete(name)
        else jar.set(name, value)
      }
      return response
    }
    const tokenOf = async (path: string): Promise<string> =>
      /name="csrf_token" value="([^"]+)"/.exec(await (await send(path)).text())?.[1] ?? ''
    const signIn = async (): Promise<void> => {
      const fields = { csrf_token: await tokenOf('/login'), username: 'ada', password: 'quillgate' }
      expect((await send('/login', new URLSearchParams(fields))).status).toBe(303)
    }
    return { jar, send, signIn, tokenOf }
  }

  it('reject compressed bodies before decompression', async () => {
    const { send } = createVisitor()
    const bomb = gzipSync(Buffer.from(`username=${'a'.repeat(1_000_000)}`))
    for (const path of ['/login', '/logout', '/posts', '/devices/revoke-all']) {
      expect((await send(path, bomb, { 'content-encoding': 'gzip' })).status).toBe(415)
    }
  })

  it('reject a foreign origin and a missing token', async () => {
    const { send, signIn, tokenOf } = createVisitor()
    await signIn()
    const fields = new URLSearchParams({ csrf_token: await tokenOf('/devices') })
    expect(
      (await send('/devices/revoke-all', fields, { origin: 'https://evil.example' })).status,
    ).toBe(403)
    expect((await send('/devices/revoke-all', new URLSearchParams())).status).toBe(403)
    expect((await send('/devices')).status).toBe(200)
  })

  it('show the text again after a sign-out, and accept it after the next sign-in', async () => {
    const { jar, send, signIn, tokenOf } = createVisitor()
    await signIn()
    const fields = {
      csrf_token: await tokenOf('/posts/new'),
      title: 'Kept',
      body: 'Every <word> of it',
    }
    jar.delete('quillgate_session')

    const outdated = await send('/posts', new URLSearchParams(fields))
    expect(outdated.status).toBe(403)
    expect(await outdated.text()).toContain('Every &#60;word&#62; of it')

    await signIn()
    const again = await send('/posts', new URLSearchParams(fields))
    expect(again.status).toBe(403)
    const token = /name="csrf_token" value="([^"]+)"/.exec(await again.text())?.[1] ?? ''
    const saved = await send('/posts', new URLSearchParams({ ...fields, csrf_token: token }))
    expect(saved.headers.get('location')).toMatch(/^\/posts\/[0-9a-f-]{36}$/)
  })

  it('accept files without JavaScript, and show the text again when one is rejected', async () => {
    const { send, signIn, tokenOf } = createVisitor()
    await signIn()
    const post = async (file: File): Promise<Response> => {
      const form = new FormData()
      form.append('csrf_token', await tokenOf('/posts/new'))
      form.append('title', 'With a file')
      form.append('body', 'Every word')
      form.append('body-files', file)
      const encoded = new Response(form)
      const type = encoded.headers.get('content-type') ?? ''
      return send('/posts', Buffer.from(await encoded.arrayBuffer()), { 'content-type': type })
    }
    expect(await (await send('/posts/new')).text()).toContain('<noscript><label>Add files <input')
    const saved = await post(new File(['a,b'], 'list.csv', { type: 'text/csv' }))
    expect(saved.status).toBe(303)
    const page = await (await send(saved.headers.get('location') ?? '')).text()
    const [, url = ''] = /<a [^>]*href="([^"]+)"[^>]*>list\.csv</.exec(page) ?? []
    expect(await (await send(url)).text()).toBe('a,b')

    const rejected = await post(new File(['<p>'], 'page.html', { type: 'text/html' }))
    expect(rejected.status).toBe(415)
    const form = await rejected.text()
    expect(form).toContain('choose the files again')
    expect(form).toContain('Every word')
  })

  describe('for a post that is open in another tab', () => {
    /** Creates a post in a new browser. The returned functions use the same browser. */
    async function createPost() {
      const { send, signIn, tokenOf } = createVisitor()
      await signIn()
      const fields = { csrf_token: await tokenOf('/posts/new'), title: 'Shared', body: 'first' }
      const post = async (path: string, more: Record<string, string>): Promise<Response> =>
        send(path, new URLSearchParams({ ...fields, ...more }))
      const path = (await post('/posts', {})).headers.get('location') ?? ''
      const versionOf = async (page: string): Promise<string> =>
        /name="version" value="(\d+)"/.exec(await (await send(page)).text())?.[1] ?? ''
      return { path, post, send, versionOf }
    }

    it('keep their action when their token is outdated, and do not exist without a post', async () => {
      const { path, post } = await createPost()
      const outdated = await post(`${path}/edit`, {
        csrf_token: 'none',
        body: 'typed',
        version: '7',
      })
      expect(outdated.status).toBe(403)
      const page = await outdated.text()
      expect(page).toContain(`action="${path}/edit"`)
      expect(page).toContain('name="version" value="7"')
      expect(page).toContain('>Save</button>')
      expect(page).toContain('typed')

      for (const id of ['x'.repeat(600), 'a%20b']) {
        const none = await post(`/posts/${id}/edit`, { csrf_token: 'none' })
        expect(none.status).toBe(404)
        expect(await none.text()).toContain('There is no post at this address.')
      }
    })

    it('delete only the version that their page shows', async () => {
      const { path, post, send, versionOf } = await createPost()
      const version = await versionOf(path)
      expect(version).not.toBe('')
      expect((await post(`${path}/edit`, { body: 'second', version })).status).toBe(303)

      for (const stale of [version, 'x']) {
        const conflict = await post(`${path}/delete`, { version: stale })
        expect(conflict.status).toBe(409)
        expect(await conflict.text()).toContain(`<a href="${path}">Show what is saved</a>`)
      }
      expect(await (await send(path)).text()).toContain('second')
      expect((await post(`${path}/delete`, { version: await versionOf(path) })).status).toBe(303)
      expect((await send(path)).status).toBe(404)
    })

    it('delete any version if they name none', async () => {
      const { path, post, send } = await createPost()
      expect((await post(`${path}/delete`, {})).status).toBe(303)
      expect((await send(path)).status).toBe(404)
    })

    it.each([
      ['a good token', {}],
      ['an outdated token', { csrf_token: 'none' }],
      ['a mistake', { title: '' }],
    ])('become the form of a new post if the post was deleted: %s', async (_with, more) => {
      const { path, post, versionOf } = await createPost()
      const version = await versionOf(`${path}/edit`)
      await post(`${path}/delete`, {})
      const gone = await post(`${path}/edit`, { body: 'Every <word> of it', version, ...more })
      expect(gone.status).toBe(404)
      const page = await gone.text()
      expect(page).toContain('This post was deleted')
      expect(page).toContain('Every &#60;word&#62; of it')
      expect(page).toContain('action="/posts"')
      expect(page).toContain('>Publish</button>')
      expect(page).not.toContain('name="version"')
      const token = /name="csrf_token" value="([^"]+)"/.exec(page)?.[1] ?? ''
      expect((await post('/posts', { csrf_token: token, body: 'Every <word> of it' })).status).toBe(
        303,
      )
    })
  })
})
