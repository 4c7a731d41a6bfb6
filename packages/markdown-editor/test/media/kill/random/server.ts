// A small application for tests that kill its process. Its posts are in the database of the ledger.
// The process waits for a message with options, starts the server, and reports the port.
import { appendFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { BaseRenderer } from '@quillgate/markdown'
import { localFiles } from '@quillgate/markdown-editor'
import { type Database, openDatabase } from '@quillgate/server/database'
import { mount } from '@quillgate/server/node'
import { createEditor, type TestMarkdownEditor } from '../../../create-editor.ts'

export interface ServerOptions {
  readonly databaseUrl: string
  readonly directory: string
  readonly orphanGrace: number
  /** The file to which `onDeleted` appends ids. */
  readonly deletedFile: string
  /** The milliseconds by which the clock of the server is ahead. */
  readonly clockOffset: number
}

interface User {
  readonly id: string
}

class NoRenderer extends BaseRenderer {
  render(markdown: string): string {
    return markdown
  }
}

async function start(options: ServerOptions): Promise<number> {
  const clock = (): number => Date.now() + options.clockOffset
  const database = openDatabase(options.databaseUrl, { poolSize: 5 })
  const editor = createEditor<User>({
    secret: 'a secret of at least thirty-two bytes',
    database: database.kysely,
    // Files have real times. With the clock of the editor, partial files would seem a day old.
    storage: localFiles(options.directory),
    authenticate: ({ request }) => ({
      id: request.headers.get('authorization')?.slice('Bearer '.length) ?? '',
    }),
    renderer: new NoRenderer(), // The tests render nothing.
    // The id is on disk before the ledger records the deletion, so that a kill cannot lose it.
    onDeleted: ({ id }) => appendFileSync(options.deletedFile, `${id}\n`),
    settings: { orphanGrace: options.orphanGrace, uploadRateLimit: null, sweepInterval: null },
    clock,
  })
  await editor.ready()
  const listen = mount(editor.gate)
  const server = createServer((req, res) => {
    listen(req, res, () => void answer(editor, database, req, res))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function answer(
  editor: TestMarkdownEditor<User>,
  database: Database,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  try {
    res.setHeader('content-type', 'application/json')
    res.end(JSON.stringify(await act(editor, database, req)))
  } catch (error) {
    res.statusCode = 500
    res.end(String(error))
  }
}

async function act(
  editor: TestMarkdownEditor<User>,
  database: Database,
  req: IncomingMessage,
): Promise<unknown> {
  if (req.url === '/sweep') return editor.sweep()
  if (req.method === 'GET')
    return database.executor(database.kysely).query('SELECT id, body FROM app_post')
  const id = Number(/^\/posts\/(\d+)$/.exec(req.url ?? '')?.[1])
  const body = req.method === 'PUT' ? await text(req) : null
  return save(editor, database, id, body, req.headers.authorization?.slice('Bearer '.length) ?? '')
}

async function save(
  editor: TestMarkdownEditor<User>,
  database: Database,
  id: number,
  body: string | null,
  user: string,
): Promise<{ missing: readonly string[] }> {
  const actor = { actor: { id: user } }
  const { removed, missing } = await database.transaction(async (trx) => {
    const tx = database.executor(trx)
    await tx.execute(`DELETE FROM app_post WHERE id = ${id}`)
    if (body !== null) await tx.execute(`INSERT INTO app_post (id, body) VALUES (${id}, '${body}')`)
    return editor.references.set({ type: 'post', id }, { body: body ?? '' }, { tx, ...actor })
  })
  await editor.references.settle(removed, actor)
  return { missing }
}

process.once('message', (options) => {
  start(options as ServerOptions).then(
    (port) => process.send?.({ port }),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit())
