import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import {
  formWith,
  type OpenRoutes,
  openRoutes,
  problemOf,
  type Visitor,
} from '../../packages/markdown-editor/test/http/open-routes.ts'
import { missingReasons } from './differences.ts'

interface Part {
  readonly field?: string
  readonly filename?: string
  readonly contentType?: string
  readonly contentDisposition?: string
  readonly headers?: readonly string[]
  readonly dataText?: string
  readonly dataBase64?: string
  readonly size?: number
  readonly fillByte?: string
}

interface Expected {
  readonly status?: number
  readonly json?: {
    readonly url?: string
    readonly name?: string
    readonly type?: string
    readonly error?: string
  }
  readonly allow?: string
  readonly storedFiles?: readonly string[]
}

interface UploadCase {
  readonly id: string
  readonly request: {
    readonly method?: string
    readonly path?: string
    readonly authenticated?: boolean
    readonly csrf?: string
    readonly parts?: readonly Part[]
    readonly rawBody?: string
    readonly contentType?: string
    readonly filename?: string
    readonly settings?: Readonly<Record<string, unknown>>
  }
  readonly expected: Expected
}

const file = new URL('cases/editor-upload.json', import.meta.url)
const cases = JSON.parse(readFileSync(file, 'utf8')) as UploadCase[]

/** A PNG of one pixel, for cases that describe their file in words. */
const PNG_BASE64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Our result of a case. */
interface Outcome {
  readonly status: number
  readonly code?: string
  readonly name?: string
  readonly type?: string
  readonly allow?: string | null
  /** The names of the stored files, without folder and id. */
  readonly stored: readonly string[]
  /** The folders of the stored files. */
  readonly folders: readonly string[]
}

// Our results for cases that differ. The reasons are in differences.md.
const differ: Readonly<Record<string, Partial<Outcome> | 'refused at start'>> = {
  'up-ok-webm': { status: 415, code: 'unsupported_media_type', stored: [] },
  'up-lie-svg-as-png': { status: 415, code: 'unsupported_media_type', stored: [] },
  'up-lie-php-as-gif': { status: 422, code: 'validation_error', stored: [] },
  'up-lie-js-as-json': { status: 415, code: 'unsupported_media_type', stored: [] },
  'up-lie-png-as-jpeg': { status: 201, type: 'image/png', stored: ['a.png'] },
  'up-lie-noext': { status: 201, name: 'photo', stored: ['photo.png'] },
  'up-double-ext': { status: 201, name: 'evil.php.png', stored: ['evil_php.png'] },
  'up-path-enc': { status: 201, name: '..%2f..%2fx.png', stored: ['2f_2fx.png'] },
  'up-path-entity': { status: 201, name: '..&#x2f;x.png', stored: ['x2f_x.png'] },
  'up-path-dots': { status: 201, name: '....png', stored: ['file.png'] },
  'up-path-space-only': { status: 201, name: 'file', stored: ['file.png'] },
  'up-name-unicode': { status: 201, name: 'фото.png', stored: ['фото.png'] },
  'up-name-emoji': { status: 201, name: '🎉.png', stored: ['file.png'] },
  'up-name-rtl': { status: 201, name: 'agnp.exe.png', stored: ['agnp_exe.png'] },
  'up-name-star': { status: 201, name: 'x.png', stored: ['x.png'] },
  'up-name-md': {
    status: 201,
    name: 'a](javascript:alert(1)).png',
    stored: ['a_javascript_alert_1.png'],
  },
  'up-name-upper': { status: 201, name: 'A.PNG', stored: ['A.png'] },
  'up-name-long-ext2': {
    status: 201,
    name: `aa.${'b'.repeat(250)}`,
    stored: [`aa_${'b'.repeat(93)}.png`],
  },
  'up-name-201': { status: 201, name: `${'n'.repeat(197)}.png`, stored: [`${'n'.repeat(96)}.png`] },
  'up-types-custom': 'refused at start',
  'up-types-none': 'refused at start',
  'up-types-wild': 'refused at start',
  'up-temp-path-strftime': 'refused at start',
  'up-temp-path-noslash': { status: 201, stored: ['photo.png'], folders: ['incoming'] },
  'up-two-files': { status: 400, code: 'multiple_files', stored: [] },
  'up-no-boundary': { status: 400, code: 'malformed_multipart', stored: [] },
  'up-base64-part': { status: 415, code: 'unsupported_media_type', stored: [] },
  'up-auth-none': 'refused at start',
  'up-auth-string': 'refused at start',
  'up-csrf-anon-missing': { status: 401, code: 'authentication_required', stored: [] },
}

let editor: OpenRoutes | undefined
afterEach(async () => {
  await editor?.close()
  editor = undefined
})

describe('reference: upload', () => {
  it.each(
    cases.filter(({ id }) => id !== 'up-same-name-twice').map((test) => [test.id, test] as const),
  )('%s', async (id, test) => {
    const settings = toSettings(test.request.settings)
    const other = differ[id]
    if (other === 'refused at start') {
      await expect(openRoutes({ settings })).rejects.toMatchObject({ code: 'configuration_error' })
      return
    }
    editor = await openRoutes({ settings })
    expect(await run(editor, test)).toMatchObject(other ?? translate(test.expected))
  })

  it('up-same-name-twice', async () => {
    editor = await openRoutes()
    const urls = new Set<string>()
    for (const form of [formWith(png()), formWith(png())]) {
      const response = await editor.send(
        '/md-editor/upload',
        { method: 'POST', body: form },
        { user: 'ada' },
      )
      urls.add(((await response.json()) as { url: string }).url)
    }
    expect(urls.size).toBe(2)
    expect(await editor.keys()).toHaveLength(2)
  })

  it('overrides only existing cases', () => {
    const ids = new Set(cases.map(({ id }) => id))
    expect(Object.keys(differ).filter((id) => !ids.has(id))).toEqual([])
  })

  it('differs only for a documented reason', () => {
    expect(missingReasons(Object.keys(differ))).toEqual([])
  })
})

/** Converts an answer of the original to our contract. */
function translate({ status, json, allow, storedFiles = [] }: Expected): Partial<Outcome> {
  const stored = storedFiles.map((key) => key.replace(/^.*<epoch-seconds>_/, ''))
  if (status === 200) return { status: 201, name: json?.name ?? '', type: json?.type ?? '', stored }
  if (status === 405) return { status, allow: allow ?? null, stored }
  return { ...toRefusal(status, json?.error ?? ''), stored }
}

function toRefusal(status: number | undefined, error: string): Pick<Outcome, 'status' | 'code'> {
  if (status === 401) return { status, code: 'authentication_required' }
  if (status === 403) return { status, code: 'csrf_failed' }
  if (status === 404) return { status, code: 'not_found' }
  if (error.startsWith('File type')) return { status: 415, code: 'unsupported_media_type' }
  if (error.startsWith('File size')) return { status: 413, code: 'file_too_large' }
  if (error === 'No file provided') return { status: 400, code: 'missing_file' }
  throw new Error(`The case expects ${status} ${error}, which has no translation`)
}

async function run(routes: OpenRoutes, test: UploadCase): Promise<Outcome> {
  const {
    method = 'POST',
    path = '/md-editor/upload',
    csrf = 'header',
    authenticated = true,
  } = test.request
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const contentType =
    test.request.contentType?.includes('/') && test.request.rawBody
      ? test.request.contentType
      : FORM
  const visitor: Visitor = { csrf: csrf as 'header', ...(authenticated ? { user: 'ada' } : {}) }
  const init = hasBody
    ? { method, body: bodyOf(test), headers: { 'content-type': contentType } }
    : { method }
  const response = await routes.send(path, init, visitor)
  const answer = await answerOf(response, method)
  const keys = await routes.keys()
  return {
    ...answer,
    status: response.status,
    allow: response.headers.get('allow'),
    stored: keys.map((key) => key.replace(/^.*\/m[0-9a-z]{26}-/, '')),
    folders: keys.map((key) => key.slice(0, key.lastIndexOf('/'))),
  }
}

async function answerOf(
  response: Response,
  method: string,
): Promise<{ name?: string; type?: string; code?: string }> {
  if (response.ok) return (await response.json()) as { name: string; type: string }
  return method === 'HEAD' ? {} : { code: (await problemOf(response)).code }
}

const BOUNDARY = 'BOUNDARYxyz'
const FORM = `multipart/form-data; boundary=${BOUNDARY}`

function bodyOf({ id, request }: UploadCase): Buffer {
  if (request.rawBody !== undefined) return Buffer.from(request.rawBody, 'latin1')
  const parts = request.parts ?? [
    { field: 'file', filename: longName(id), contentType: 'image/png', dataBase64: PNG_BASE64 },
  ]
  return Buffer.concat([...parts.map(partOf), Buffer.from(`--${BOUNDARY}--\r\n`)])
}

function partOf(part: Part): Buffer {
  const name = part.filename === undefined ? '' : `; filename="${part.filename}"`
  const headers = [
    `Content-Disposition: ${part.contentDisposition ?? `form-data; name="${part.field}"${name}`}`,
    ...(part.contentType === undefined ? [] : [`Content-Type: ${part.contentType}`]),
    ...(part.headers ?? []),
  ]
  return Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\n${headers.join('\r\n')}\r\n\r\n`),
    dataOf(part),
    Buffer.from('\r\n'),
  ])
}

function dataOf({ dataBase64, dataText, size, fillByte = '' }: Part): Buffer {
  if (dataBase64 !== undefined) return Buffer.from(dataBase64, 'base64')
  return size === undefined ? Buffer.from(dataText ?? '') : Buffer.alloc(size, fillByte)
}

/** Returns the long file name of a case that describes the name in words. */
function longName(id: string): string {
  if (id === 'up-name-long-ext2') return `aa.${'b'.repeat(250)}`
  if (id === 'up-name-201') return `${'n'.repeat(197)}.png`
  throw new Error(`The case ${id} has no parts`)
}

function toSettings(given: UploadCase['request']['settings'] = {}): Record<string, unknown> {
  const camelCase = (name: string): string =>
    name.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [camelCase(name), value]))
}

function png(): Uint8Array {
  return Buffer.from(PNG_BASE64, 'base64')
}
