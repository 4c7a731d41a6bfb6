import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localFiles } from '@quillgate/markdown-editor'
import { describe, expect, it } from 'vitest'
import { createEditor } from '../../packages/markdown-editor/test/create-editor.ts'
import { ERROR_GUIDE, withErrorTables } from '../../scripts/error-guide.ts'

const root = join(import.meta.dirname, '..', '..')
const page = readFileSync(ERROR_GUIDE, 'utf8')

/** The sources of the server, without the files that declare codes. */
const sources = ['server', 'storage', 'markdown-editor', 'trusted-devices'].flatMap((name) =>
  readdirSync(join(root, 'packages', name, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(
      (path) => !/src\/(?:client|testing)\/|\/(?:src|core)\/(?:errors|error-codes)\.ts$/.test(path),
    )
    .map((path) => ({ path, text: readFileSync(path, 'utf8') })),
)

const codes = [...page.matchAll(/^\| `(\w+)` \| (\d{3}) \| .+ \|$/gm)].map(([, code = '']) => code)

describe('the page of errors', () => {
  it('contains the tables of the packages', () => {
    expect(page).toBe(withErrorTables(page))
  })

  it('has one row for each code', () => {
    expect(codes.length).toBeGreaterThan(60)
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([])
  })

  it('lists no code that the sources do not use', () => {
    const unused = codes.filter((code) => !sources.some(({ text }) => text.includes(`'${code}'`)))
    expect(
      unused.filter((code) => !['configuration_error', 'validation_error'].includes(code)),
    ).toEqual([])
  })

  it('lists every error, because errors are created from the tables only', () => {
    const others = sources.filter(({ text }) =>
      /^(?!\s*(?:\*|\/\/)).*new QuillgateError\(/m.test(text),
    )
    expect(others.map(({ path }) => path)).toEqual([])
  })

  it('shows an answer as the server sends it', async () => {
    const [, json = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? []
    const folder = mkdtempSync(join(tmpdir(), 'quillgate-errors-'))
    const editor = createEditor({
      secret: 'a secret of at least thirty-two bytes',
      database: 'sqlite::memory:',
      storage: localFiles(folder),
      authenticate: () => ({ id: '1' }),
    })
    const body = new FormData()
    body.append('file', new File(['x'.repeat(52_428_801)], 'a.txt', { type: 'text/plain' }))
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
    expect(JSON.parse(answer)).toEqual(JSON.parse(json))
  })
})
