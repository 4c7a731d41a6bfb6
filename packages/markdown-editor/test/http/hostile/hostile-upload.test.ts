import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HostileCase, refused } from './hostile-case.ts'
import {
  expectHealthy,
  expectOutcome,
  type HostileServer,
  openHostileServer,
} from './hostile-server.ts'
import { boundaries } from './requests/boundaries.ts'
import { contents } from './requests/contents.ts'
import { dispositions } from './requests/dispositions.ts'
import { fileNames } from './requests/file-names.ts'
import { partHeaders } from './requests/part-headers.ts'
import { structure } from './requests/structure.ts'
import { tokens } from './requests/tokens.ts'
import { transport } from './requests/transport.ts'

const kinds: readonly (readonly [kind: string, requests: readonly HostileCase[]])[] = [
  ['boundaries', boundaries],
  ['dispositions', dispositions],
  ['part headers', partHeaders],
  ['file names', fileNames],
  ['structures', structure],
  ['contents', contents],
  ['tokens', tokens],
  ['HTTP requests', transport],
]

let server: HostileServer
beforeAll(async () => {
  server = await openHostileServer()
})
afterAll(() => server.close())

describe.each(kinds)('POST /md-editor/upload, hostile %s', (_kind, requests) => {
  it.each(requests.map((test) => [test.name, test] as const))('%s', async (_title, test) =>
    expectOutcome(server, test),
  )

  it('leave the server able to accept a valid upload', () => expectHealthy(server))
})

describe('POST /md-editor/upload after all hostile requests', () => {
  it('has been sent more than a thousand distinct requests for all documented errors', () => {
    const all = kinds.flatMap(([, requests]) => requests)
    const distinct = new Set(
      all.map(
        ({ request, afterSending }) =>
          `${Buffer.concat(request.map((piece) => Buffer.from(piece as string))).toString('base64')} ${afterSending}`,
      ),
    )
    expect(distinct.size).toBeGreaterThan(1000)
    const codes = new Set(
      all.flatMap(({ expect: expected }) =>
        expected !== 'closed' && 'code' in expected ? expected.code : [],
      ),
    )
    expect([...codes]).toEqual(
      expect.arrayContaining(Object.values(refused).map(({ code }) => code)),
    )
  })

  it('leaves no files, and only ledger rows of deleted files', async () => {
    const { editor, clock, files, states } = server
    expect(await files()).toEqual([])
    expect(Object.keys(await states())).toEqual(['deleted'])
    clock.advance(2 * 86_400_000)
    await editor.sweep()
    expect(Object.keys(await states())).toEqual(['deleted'])
    expect(await files()).toEqual([])
    await expectHealthy(server)
  })

  it('logs no unexpected error', () => expect(server.problems).toEqual([]))
})
