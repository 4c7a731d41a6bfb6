import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it, vi } from 'vitest'
import { FormBrowser } from '../support/form-browser.ts'
import { chunk, png } from '../support/png.ts'
import { useExamples } from './use-examples.ts'

const { folder, listen } = useExamples()

async function upload(browser: FormBrowser, content: string) {
  const form = new FormData()
  form.append('file', new Blob([content]), 'a.txt')
  const token = await browser.token('/')
  return await browser.post('/md-editor/upload', form, { 'x-csrf-token': token })
}

describe('the examples of the editor', () => {
  it('express-editor.ts shows a form and saves a text', async () => {
    const { app } = await import('../../examples/express-editor.ts')
    const browser = new FormBrowser(await listen(app))
    const form = new URLSearchParams({ csrf_token: await browser.token('/'), body: '**bold**' })
    expect(await (await browser.post('/', form)).text()).toContain('<strong>bold</strong>')
  })

  it('storage.ts stores an upload in a folder', async () => {
    const { app } = await import('../../examples/storage.ts')
    const browser = new FormBrowser(await listen(app))
    const { url } = (await (await upload(browser, 'hello')).json()) as { url: string }
    expect(await (await browser.get(url)).text()).toBe('hello')
    expect(readFileSync(join(folder(), 'data', url), 'utf8')).toBe('hello')
    const form = new URLSearchParams({ csrf_token: await browser.token('/'), body: `[a](${url})` })
    const page = await (await browser.post('/', form)).text()
    expect(page).toMatch(/<a href="\/media\/md-editor\/uploads\//)
  })

  it('database.ts writes and reads a row', async () => {
    vi.spyOn(console, 'log').mockImplementation(() => {})
    const { notes } = await import('../../examples/database.ts')
    expect(notes).toEqual([{ id: expect.any(String), body: 'Hello' }])
  })

  it('media.ts rejects a virus, and orphans a file that the text does not mention', async () => {
    const { app, editor } = await import('../../examples/media.ts')
    const browser = new FormBrowser(await listen(app))
    const virus = await upload(browser, 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE')
    expect([virus.status, await virus.text()]).toEqual([422, expect.stringContaining('virus')])

    const { url } = (await (await upload(browser, 'hello')).json()) as { url: string }
    const save = async (body: string) => {
      const csrf_token = await browser.token('/')
      const response = await browser.post('/', new URLSearchParams({ csrf_token, body }))
      expect(response.status).toBe(303)
    }
    await save(`[a](${url})`)
    const [, saved = ''] = /\]\((\/media\/[^)]*)/.exec(await (await browser.get('/')).text()) ?? []
    expect((await browser.get(saved)).status).toBe(200)
    await save('nothing')
    expect((await browser.get(saved)).status).toBe(404)
    expect((await editor.media.list({ state: 'orphaned' })).media).toHaveLength(1)
  })

  it('behind-a-proxy.ts accepts forms of the public origin only', async () => {
    const { app } = await import('../../examples/behind-a-proxy.ts')
    const server = await listen(app)
    const proxied = { 'x-forwarded-for': '2.3.4.5', 'x-forwarded-proto': 'https' }
    const post = async (origin: string) => {
      const browser = new FormBrowser(server, origin)
      const form = new URLSearchParams({ csrf_token: await browser.token('/') })
      return (await browser.post('/', form, proxied)).status
    }
    expect(await post('https://example.com')).toBe(200)
    expect(await post('https://attacker.example')).toBe(403)
  })

  it('drafts.ts names the draft, and removes it after the save', async () => {
    const { app } = await import('../../examples/drafts.ts')
    const browser = new FormBrowser(await listen(app))
    expect(await (await browser.get('/')).text()).toContain('draft="post/new/body"')
    const form = new URLSearchParams({ csrf_token: await browser.token('/'), body: 'hello' })
    const saved = (await browser.post('/', form)).headers.get('location') ?? ''
    expect(await (await browser.get(saved)).text()).toContain('content="post/new/body"')
  })

  it('post-admin.ts renders the editor for the text of a post only', async () => {
    const { editPost } = await import('../../examples/post-admin.ts')
    const [head, title, body] = editPost({ title: 'A title', body: '*text*' })
    expect(head).toContain('<script type="module"')
    expect(title).not.toContain('<markdown-editor')
    expect(body).toContain('<markdown-editor')
    expect(body).toContain('40rem')
  })

  it('no-huge-pictures.ts rejects large images, and no other files', async () => {
    const { NoHugePictures } = await import('../../examples/no-huge-pictures.ts')
    const handler = new NoHugePictures()
    const file = {
      name: 'a',
      type: 'image/png',
      size: 2_000_001,
      stream: () => new ReadableStream(),
    }
    expect(() => handler.validate(file)).toThrow('larger than 2 MB')
    expect(handler.validate({ ...file, size: 2_000_000 })).toBeUndefined()
    expect(handler.validate({ ...file, type: 'video/mp4' })).toBeUndefined()
  })

  it('smaller-images.ts reduces large images, and keeps animations', async () => {
    const { SmallerImages } = await import('../../examples/smaller-images.ts')
    const { transform } = new SmallerImages()
    const reduce = async (image: Buffer) => {
      const { body, ...rest } = await transform({ type: 'image/png', body: Readable.from([image]) })
      return { ...rest, bytes: await buffer(body) }
    }
    const still = png(5120, 2, [255, 0, 0])
    expect(await reduce(still)).toMatchObject({ type: 'image/png', width: 2560, height: 1 })
    const afterHeader = 33
    const animated = Buffer.concat([
      still.subarray(0, afterHeader),
      chunk('acTL', Buffer.from([0, 0, 0, 1, 0, 0, 0, 0])),
      chunk('fcTL', Buffer.from([0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 0, 2, ...Buffer.alloc(14)])),
      still.subarray(afterHeader),
    ])
    expect(await reduce(animated)).toEqual({ type: 'image/png', bytes: animated })
  })

  it('react/server.ts saves a text', async () => {
    const { app } = await import('../../examples/react/server.ts')
    const browser = new FormBrowser(await listen(app), 'http://localhost:5173')
    const page = async () =>
      (await (await browser.get('/api/page')).json()) as { csrfToken: string; posts: string[] }
    const json = { 'content-type': 'application/json' }
    const body = JSON.stringify({ body: '**bold**' })
    expect((await browser.post('/api/posts', body, json)).status).toBe(403)
    const headers = { ...json, 'x-csrf-token': (await page()).csrfToken }
    expect((await browser.post('/api/posts', body, headers)).status).toBe(201)
    expect((await page()).posts.join()).toContain('<strong>bold</strong>')
  })

  it('wiki.ts renders other syntax', async () => {
    const { app } = await import('../../examples/wiki.ts')
    const page = await (await new FormBrowser(await listen(app)).get('/')).text()
    expect(page).toContain('<a href="/wiki/Home"')
    expect(page).toContain('preview-worker="/static/preview.js"')
  })
})
