import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { QuillgateError } from '@quillgate/server/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clientAssetsIn } from '../../../server/src/http/client-assets.ts'
import { type OpenRoutes, openRoutes, problemOf } from './open-routes.ts'

let directory: string
let editor: OpenRoutes

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quillgate-assets-'))
  editor = await openRoutes({
    routes: { assets: clientAssetsIn(() => directory, 'the-client') },
  })
})
afterEach(async () => {
  await editor.close()
  await rm(directory, { recursive: true })
})

async function build(): Promise<void> {
  const files = {
    'markdown-editor.js': 'text/javascript; charset=utf-8',
    'markdown-editor.css': 'text/css; charset=utf-8',
    'preview-KBBFKTJE.js': 'text/javascript; charset=utf-8',
  }
  await writeFile(join(directory, 'manifest.json'), JSON.stringify({ hash: 'abc123', files }))
  await writeFile(join(directory, 'markdown-editor.js'), 'export {}')
  await writeFile(join(directory, 'markdown-editor.css'), 'a{}')
  await writeFile(join(directory, 'preview-KBBFKTJE.js'), 'preview')
  await writeFile(join(directory, 'secret.txt'), 'secret')
}

const get = (path: string, method = 'GET'): Promise<Response> =>
  editor.send(`/md-editor/assets/${path}`, { method }, { csrf: 'none' })

describe('GET /md-editor/assets/{hash}/…', () => {
  it('serves the files without the database', async () => {
    await build()
    await editor.close()
    const ready = () =>
      Promise.reject(new QuillgateError('database_unavailable', 503, 'Try again.'))
    editor = await openRoutes({
      routes: { assets: clientAssetsIn(() => directory, 'the-client'), ready },
    })
    expect((await get('abc123/markdown-editor.js')).status).toBe(200)
    expect((await editor.send('/media/x')).status).toBe(503)
  })

  it('serves the files of the build as immutable', async () => {
    await build()
    const response = await get('abc123/markdown-editor.js')
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('export {}')
    expect(Object.fromEntries(response.headers)).toEqual({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; script-src 'self'",
      'content-length': '9',
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
    expect(await (await get('abc123/markdown-editor.css')).text()).toBe('a{}')
  })

  it('answers HEAD without a body, and other methods with 405', async () => {
    await build()
    const head = await get('abc123/markdown-editor.js', 'HEAD')
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      '9',
      '',
    ])
    const post = await get('abc123/markdown-editor.js', 'POST')
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('serves a content-hashed file to pages of another build', async () => {
    await build()
    expect(await (await get('abc124/preview-KBBFKTJE.js')).text()).toBe('preview')
  })

  it.each([
    'abc124/markdown-editor.js',
    'abc124/preview-AAAAAAAA.js',
    'markdown-editor.js',
    'abc123/secret.txt',
    'abc123/manifest.json',
    'abc123/',
    'abc123/other.js',
    'abc123/x/markdown-editor.js',
    'abc123/..%2fsecret.txt',
    'abc123/constructor',
    '__proto__/markdown-editor.js',
    '',
  ])('answers 404 to %j', async (path) => {
    await build()
    expect(await problemOf(await get(path))).toMatchObject({ status: 404, code: 'not_found' })
  })

  it('says what to do if the client is not built, and detects a later build', async () => {
    expect(await problemOf(await get('abc123/markdown-editor.js'))).toMatchObject({
      status: 500,
      code: 'client_not_built',
      detail: expect.stringContaining('npm run build'),
    })
    expect(editor.unexpected).toHaveLength(1)
    await build()
    expect((await get('abc123/markdown-editor.js')).status).toBe(200)
  })
})

describe('clientAssetsIn', () => {
  it('includes the build in the path, even if there is no build', async () => {
    const assets = clientAssetsIn(() => directory, 'the-client')
    expect(assets.base('/assets/')).toBe('/assets/not-built/')
    await build()
    expect(assets.base('/assets/')).toBe('/assets/abc123/')
  })
})
