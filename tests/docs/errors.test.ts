import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMarkdownEditor, localFiles } from '@quillgate/markdown-editor'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const page = readFileSync(join(root, 'apps', 'docs', 'errors.md'), 'utf8')

/** The statuses of each code of the page, one entry for each row that has it. */
function documented(): Map<string, string[]> {
  const rows = [...page.matchAll(/^\| ((?:`\w+`(?:, )?)+) \| ([\d, ]+) \|/gm)]
  const codes = new Map<string, string[]>()
  for (const [, names = '', statuses = ''] of rows) {
    for (const [, code = ''] of names.matchAll(/`(\w+)`/g))
      codes.set(code, [...(codes.get(code) ?? []), statuses])
  }
  return codes
}

/** The sources of what runs on the server. */
const sources = ['server', 'markdown-editor', 'trusted-devices'].flatMap((name) =>
  readdirSync(join(root, 'packages', name, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/src\/(?:client|testing)\//.test(path))
    .map((path) => readFileSync(path, 'utf8')),
)

describe('the page of errors', () => {
  it('has one row for each code', () => {
    const codes = documented()
    expect(codes.size).toBeGreaterThan(60)
    expect([...codes].filter(([, rows]) => rows.length > 1)).toEqual([])
  })

  it('has each code of the sources with its status, and no other', () => {
    const codes = documented()
    const thrown = sources.flatMap((source) => [
      ...source.matchAll(/(?:QuillgateError|super)\(\s*'([a-z_]+)',\s*(\d{3})/g),
    ])
    expect(thrown.length).toBeGreaterThan(50)
    const wrong = thrown.filter(
      ([, code = '', status = '']) => !codes.get(code)?.[0]?.includes(status),
    )
    expect(wrong.map(([, code, status]) => `${code} ${status}`)).toEqual([])
    const unknown = [...codes.keys()].filter(
      (code) => !sources.some((source) => source.includes(`'${code}'`)),
    )
    expect(unknown).toEqual([])
  })

  it('shows an answer as the server sends it', async () => {
    const [, json = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? []
    const folder = mkdtempSync(join(tmpdir(), 'quillgate-errors-'))
    const editor = createMarkdownEditor({
      secret: 'a secret of at least thirty-two bytes',
      database: 'sqlite::memory:',
      storage: localFiles({ directory: folder }),
      authenticate: () => ({ id: '1' }),
      settings: { maxUploadSize: 1000 },
    })
    const body = new FormData()
    body.append('file', new File(['x'.repeat(1001)], 'a.txt', { type: 'text/plain' }))
    const headers = { authorization: 'Bearer of the application' }
    const request = new Request('http://localhost/md-editor/upload', {
      method: 'POST',
      headers,
      body,
    })
    const response = await editor.fetch(request)
    const answer = await response.text()
    await editor.close()
    rmSync(folder, { recursive: true, force: true })
    expect(response.status).toBe(413)
    expect(JSON.parse(answer.replace('1000', '52428800'))).toEqual(JSON.parse(json))
  })
})
