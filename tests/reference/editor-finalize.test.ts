import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { missingReasons } from './differences.ts'
import { type MediaWorld, ORIGIN, openWorld } from './media-world.ts'

interface FinalizeCase {
  readonly id: string
  readonly storedBefore: Readonly<Record<string, string>>
  readonly request: {
    readonly method?: string
    readonly path: string
    readonly authenticated?: boolean
    readonly csrf?: string
    readonly contentType?: string
    readonly settings?: Readonly<Record<string, unknown>>
    readonly json?: unknown
    readonly textParts?: readonly (readonly [string, number])[]
    readonly rawParts?: readonly (readonly [string, number])[]
    readonly rawBody?: string
  }
  readonly expected: Answer
  readonly verdict: 'follow' | 'improve' | 'free'
  readonly want?: {
    readonly status?: number
    readonly json?: { readonly replacements?: Readonly<Record<string, string>> }
  }
}

interface Answer {
  readonly status?: number
  readonly json?: { readonly replacements?: Readonly<Record<string, string>> }
}

const file = new URL('cases/editor-finalize.json', import.meta.url)
const cases = JSON.parse(readFileSync(file, 'utf8')) as FinalizeCase[]

const moved = (from: string, to = from.replace('tmp/', 'uploads/2026/03/')): Answer => ({
  status: 200,
  json: { replacements: { [from]: to } },
})
const untouched: Answer = { status: 200, json: { replacements: {} } }
const a = '/media/md-editor/tmp/1_a.png'

// Our results for cases that are described in words, have the verdict `free`, or differ. The
// reasons are in differences.md.
const decided: Readonly<Record<string, Answer | 'cannot be' | 'refused at start'>> = {
  'fin-collision': moved(a),
  'fin-subdir-collision': {
    status: 200,
    json: {
      replacements: {
        '/media/md-editor/tmp/s1/1_a.png': '/media/md-editor/uploads/2026/03/1_a.png',
        '/media/md-editor/tmp/s2/1_a.png': '/media/md-editor/uploads/2026/03/1_a.png',
      },
    },
  },
  'fin-plain-and-absolute': {
    status: 200,
    json: {
      replacements: {
        [a]: '/media/md-editor/uploads/2026/03/1_a.png',
        [ORIGIN + a]: `${ORIGIN}/media/md-editor/uploads/2026/03/1_a.png`,
      },
    },
  },
  'fin-abs-same': moved(ORIGIN + a),
  'fin-parens': 'cannot be',
  'fin-encoded-space': 'cannot be',
  'fin-audio': moved(a),
  'fin-a-href': moved(a),
  'fin-poster': {
    status: 200,
    json: {
      replacements: {
        [a]: '/media/md-editor/uploads/2026/03/1_a.png',
        '/media/md-editor/tmp/2_b.png': '/media/md-editor/uploads/2026/03/2_b.png',
      },
    },
  },
  'fin-trav-inside': untouched,
  'fin-double-slash': untouched,
  'fin-other-user': untouched,
  'fin-big-int': untouched,
  'fin-multipart': { status: 415 },
  'fin-large-over': moved(a),
  'fin-csrf-anon': { status: 401 },
  'fin-upload-path-noslash': moved(a, '/media/files/1_a.png'),
  'fin-temp-path-empty': 'refused at start',
  'fin-temp-in-upload': 'refused at start',
}

let world: MediaWorld | undefined
afterEach(async () => {
  await world?.close()
  world = undefined
})

describe('reference: finalize', () => {
  it.each(cases.map((test) => [test.id, test] as const))('%s', async (id, test) => {
    const want = decided[id] ?? { ...test.expected, ...test.want }
    const { settings } = test.request
    if (want === 'refused at start') {
      await expect(openWorld(test.storedBefore, settings)).rejects.toMatchObject({
        code: 'configuration_error',
      })
      return
    }
    if (want === 'cannot be') {
      await expect(openWorld(test.storedBefore, settings)).rejects.toMatchObject({
        code: 'invalid_storage_key',
      })
      return
    }
    world = await openWorld(
      test.storedBefore,
      settings,
      id === 'fin-other-user' ? { owner: 'user:2' } : {},
    )
    const response = await world.editor.fetch(requestOf(test, world))
    const body = (await response.json()) as { replacements?: Record<string, string> }
    const replacements = want.json?.replacements ?? test.expected.json?.replacements ?? {}
    expect([response.status, shorten(body.replacements ?? {}, world)]).toEqual([
      want.status,
      replacements,
    ])
    expect(await world.files()).toEqual(afterMoving(test.storedBefore, replacements))
  })

  it('overrides only existing cases', () => {
    expect(Object.keys(decided).filter((id) => !cases.some((test) => test.id === id))).toEqual([])
  })

  it('differs only for a documented reason', () => {
    expect(missingReasons(Object.keys(decided))).toEqual([])
  })
})

function shorten(
  replacements: Readonly<Record<string, string>>,
  { toTheirs }: MediaWorld,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(replacements).map(([from, to]) => [toTheirs(from), toTheirs(to)]),
  )
}

/** Returns the files after the moves that an answer reports. */
function afterMoving(
  before: Readonly<Record<string, string>>,
  replacements: Readonly<Record<string, string>>,
): string[] {
  const pathOf = (url: string): string =>
    decodeURIComponent(new URL(url, ORIGIN).pathname).slice('/media/'.length)
  const moves = new Map(
    Object.entries(replacements).map((move) => move.map(pathOf) as [string, string]),
  )
  const after = Object.entries(before).map(
    ([path, content]) => `${moves.get(path) ?? path} ${content}`,
  )
  return after.filter((file) => file.includes('/')).sort()
}

function requestOf({ request }: FinalizeCase, { csrf, toOurs }: MediaWorld): Request {
  const headers = new Headers({
    origin: ORIGIN,
    'content-type': request.contentType ?? 'application/json',
  })
  headers.set('cookie', csrf.cookie)
  if (request.csrf === 'header') headers.set('x-csrf-token', csrf.token)
  if (request.csrf === 'mismatch')
    headers.set(
      'x-csrf-token',
      csrf.token.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
    )
  if (request.authenticated !== false) headers.set('x-signed-in', 'yes')
  const method = request.method ?? 'POST'
  const joined = (parts: readonly (readonly [string, number])[]) =>
    parts.map(([part, n]) => part.repeat(n)).join('')
  const body =
    request.rawBody ??
    (request.rawParts && joined(request.rawParts)) ??
    JSON.stringify(request.textParts ? { text: joined(request.textParts) } : request.json)
  const bytes = Buffer.from(toOurs(body), request.rawBody === undefined ? 'utf8' : 'latin1')
  return new Request(ORIGIN + request.path, {
    method,
    headers,
    ...(method === 'GET' ? {} : { body: bytes }),
  })
}
