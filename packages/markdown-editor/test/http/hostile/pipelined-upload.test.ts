import { Buffer } from 'node:buffer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Bytes,
  fieldPart,
  filePart,
  form,
  GOOD,
  type HostileCase,
  join,
  latin1,
  post,
} from './hostile-case.ts'
import { expectHealthy, type HostileServer, openHostileServer } from './hostile-server.ts'
import { boundaries } from './requests/boundaries.ts'
import { contents } from './requests/contents.ts'
import { dispositions } from './requests/dispositions.ts'
import { fileNames } from './requests/file-names.ts'
import { partHeaders } from './requests/part-headers.ts'
import { structure } from './requests/structure.ts'
import { tokens } from './requests/tokens.ts'

let server: HostileServer
beforeAll(async () => {
  server = await openHostileServer()
})
afterAll(() => server.close())

/** Rejected requests with a correct length, after which a server can find the next request. */
const framed = [boundaries, dispositions, partHeaders, structure, contents, tokens]
  .flat()
  .filter(isRejectedByEditor)

const keepAlive = (request: readonly Bytes[]): Buffer =>
  latin1(
    join(...request)
      .toString('latin1')
      .replace('connection: close', 'connection: keep-alive'),
  )

describe('POST /md-editor/upload on a keep-alive connection', () => {
  // The server must never parse the unread rest of a body as a request.
  it(`parses the request after a rejected one correctly, ${framed.length} times`, {
    timeout: 120_000,
  }, async () => {
    const smuggled = latin1('DELETE /md-editor/upload HTTP/1.1\r\nhost: example.com\r\n\r\n')
    for (const { name, request, expect: expected } of framed) {
      const raw = await server.exchangeRaw([keepAlive(request), post(form(filePart(smuggled)))])
      const statuses = statusesOf(raw)
      expect(statuses.slice(0, 1), name).toEqual([expected !== 'closed' && expected.status])
      // If the connection stays open, the only other response is that of the valid request.
      expect([[], [201]], `${name}: ${statuses}`).toContainEqual(statuses.slice(1))
      expect(server.problems, name).toEqual([])
      await server.clear()
    }
    await expectHealthy(server)
  })

  it('answers alternating valid and invalid uploads on one connection', async () => {
    const bad = form(filePart(''))
    const pair = [keepAlive([post(GOOD)]), keepAlive([post(bad)])]
    const pieces = [
      ...Array.from({ length: 20 }, () => pair).flat(),
      post(form(fieldPart('a', '1'), filePart())),
    ]
    const statuses = statusesOf(await server.exchangeRaw(pieces))
    expect(server.problems).toEqual([])
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => [201, 400]).flat(), 201])
    await server.clear()
  })
})

describe('concurrent POST /md-editor/upload requests', () => {
  it('get their own responses, and a sweep removes all files', {
    timeout: 60_000,
  }, async () => {
    const some = [...framed, ...fileNames].filter((_, index) => index % 3 === 0)
    const queue = [...some]
    const work = async (): Promise<void> => {
      for (let test = queue.pop(); test !== undefined; test = queue.pop()) {
        const { status } = await server.exchange(test.request)
        expect({ name: test.name, status }).toEqual({
          name: test.name,
          status: (test.expect as { status: number }).status,
        })
      }
    }
    await Promise.all(Array.from({ length: 24 }, work))
    server.clock.advance(2 * 86_400_000)
    await server.editor.sweep()
    expect(await server.files()).toEqual([])
    expect(Object.keys(await server.states())).toEqual(['deleted'])
    expect(server.problems).toEqual([])
  })
})

function isRejectedByEditor({ request, afterSending, expect: expected }: HostileCase): boolean {
  const bytes = request.reduce((sum, piece) => sum + Buffer.byteLength(piece as string), 0)
  return (
    afterSending === undefined &&
    bytes < 100_000 &&
    expected !== 'closed' &&
    'code' in expected &&
    expected.code !== null
  )
}

/** No response body contains text like a status line. */
function statusesOf(raw: Buffer): number[] {
  return [...raw.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) =>
    Number(status),
  )
}
