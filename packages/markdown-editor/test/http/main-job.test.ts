import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { localFiles } from '../../src/index.ts'
import { createEditor, type TestMarkdownEditor } from '../create-editor.ts'
import { PNG } from '../media/upload/samples.ts'
import { formWith } from './open-routes.ts'

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

async function finalize(
  user: string,
  text: string,
): Promise<{ replacements: Record<string, string>; missing: string[] }> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  }
  return (await (await send('/md-editor/finalize', user, init)).json()) as Awaited<
    ReturnType<typeof finalize>
  >
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

  it('F10: ignores the file of another user, and reports it only as missing', async () => {
    const temporary = await upload('ada')
    const unknown = temporary.replace(/m[0-9a-z]{26}/, `m${'0'.repeat(26)}`)
    expect(await finalize('grace', `![](${temporary}) ![](${unknown})`)).toEqual({
      replacements: {},
      missing: [temporary, unknown],
    })
    expect((await send(temporary, 'ada')).status).toBe(200)
    expect(await files('tmp')).toHaveLength(1)
  })

  it('F8: ignores URLs of other sites', async () => {
    const temporary = await upload('ada')
    const text = `![](https://other.example${temporary}) ![](//other.example${temporary})`
    expect(await finalize('ada', text)).toEqual({ replacements: {}, missing: [] })
    expect(await files('tmp')).toHaveLength(1)
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
