import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FinalizeResponse } from '../../../markdown-editor-element/src/contract/wire.ts'
import { localFiles } from '../../src/index.ts'
import { createEditor, type TestMarkdownEditor } from '../create-editor.ts'
import { idOf } from '../editor-fixture.ts'
import { PNG } from '../media/upload/samples.ts'
import { formWith, problemOf } from './open-routes.ts'

let directory: string
let editor: TestMarkdownEditor<{ id: string }>

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quillgate-main-'))
  editor = createEditor({
    secret: 'a secret of thirty-two bytes, at least',
    database: 'sqlite::memory:',
    storage: localFiles(directory),
    authenticate: ({ request }) => ({
      id: request.headers.get('authorization')?.slice('Bearer '.length) ?? '',
    }),
    clock: () => Date.UTC(2026, 10, 21),
  })
})

afterEach(async () => {
  await editor.close()
  await rm(directory, { recursive: true })
})

const send = (path: string, user: string, init: RequestInit = {}): Promise<Response> => {
  const headers = { authorization: `Bearer ${user}`, ...(init.headers as Record<string, string>) }
  return editor.fetch(new Request(new URL(path, 'http://localhost'), { ...init, headers }))
}

async function upload(user: string): Promise<string> {
  const response = await send('/md-editor/upload', user, { method: 'POST', body: formWith(PNG) })
  return ((await response.json()) as { url: string }).url
}

const postText = (user: string, text: string): Promise<Response> =>
  send('/md-editor/finalize', user, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  })

async function finalize(user: string, text: string): Promise<FinalizeResponse> {
  return (await (await postText(user, text)).json()) as FinalizeResponse
}

const files = async (folder: string): Promise<string[]> =>
  readdir(join(directory, 'md-editor', folder))

describe('upload, finalize and serve together', () => {
  it('moves an image from its upload to its permanent URL', async () => {
    const temporary = await upload('ada')
    expect((await send(temporary, 'ada')).status).toBe(200)
    const { replacements, missing } = await finalize('ada', `![photo](${temporary})`)
    const permanent = replacements[temporary] ?? ''
    expect(permanent).toBe(temporary.replace('tmp', 'uploads/2026/11'))
    expect(missing).toEqual([])
    expect((await send(permanent, 'grace')).status).toBe(200)
    const redirect = await send(temporary, 'ada')
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, permanent])
    expect(await files('tmp')).toEqual([])
    expect(await files('uploads/2026/11')).toHaveLength(1)
  })

  it('ignores the file of another user, and reports it only as missing (F10)', async () => {
    const temporary = await upload('ada')
    const unknown = temporary.replace(/m[0-9a-z]{26}/, `m${'0'.repeat(26)}`)
    expect(await finalize('grace', `![](${temporary}) ![](${unknown})`)).toEqual({
      replacements: {},
      missing: [temporary, unknown],
    })
    expect((await send(temporary, 'ada')).status).toBe(200)
    expect(await files('tmp')).toHaveLength(1)
  })

  it('ignores URLs of other sites (F8)', async () => {
    const temporary = await upload('ada')
    const text = `![](https://other.example${temporary}) ![](//other.example${temporary})`
    expect(await finalize('ada', text)).toEqual({ replacements: {}, missing: [] })
    expect(await files('tmp')).toHaveLength(1)
  })

  it('finalizes a text of 4 MiB, and answers 413 to a longer one (F26)', async () => {
    const temporary = await upload('ada')
    const end = `\n\n![](${temporary})`
    const longest = 'a'.repeat(4 * 1024 * 1024 - end.length) + end
    expect(Object.keys((await finalize('ada', longest)).replacements)).toEqual([temporary])
    const refused = await postText('ada', `a${longest}`)
    expect(await problemOf(refused)).toMatchObject({ status: 413, code: 'text_too_large' })
  })

  // Rails guide, "Authenticated Controllers": "a plain signed_id, making them hard to guess"
  it('answers 404 to URLs that are guessed, or altered to reach another file', async () => {
    const [finalized, temporary] = [await upload('ada'), await upload('ada')]
    const { replacements } = await finalize('ada', `![](${finalized})`)
    const permanent = replacements[finalized] ?? ''
    const [id, other] = [idOf(permanent), idOf(temporary)]
    for (const url of [
      permanent.replace(id, other),
      permanent.replace(id, `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`),
      temporary.replace('/tmp/', '/uploads/2026/11/'),
      permanent.replace('photo.png', 'b.png'),
      permanent.replace('/uploads/', '/uploads%2f'),
    ]) {
      expect((await send(url, 'ada')).status).toBe(404)
    }
  })

  it('answers 404 immediately when a file becomes an orphan', async () => {
    const temporary = await upload('ada')
    const { replacements } = await finalize('ada', `![](${temporary})`)
    const permanent = replacements[temporary] ?? ''
    await editor.references.set({ type: 'post', id: '1' }, [`![](${permanent})`])
    await editor.references.set({ type: 'post', id: '1' }, ['no picture any more'])
    expect((await send(permanent, 'ada')).status).toBe(404)
    expect((await send(temporary, 'ada')).status).toBe(404)
  })
})
