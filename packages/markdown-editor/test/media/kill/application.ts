import { localFiles } from '@quillgate/markdown-editor'
import { type Database, openDatabase } from '@quillgate/server/database'
import type { FakeClock } from '@quillgate/server/testing'
import { Kysely } from 'kysely'
import type {
  FinalizeResponse,
  UploadResponse,
} from '../../../../markdown-editor-element/src/contract/wire.ts'
import {
  createEditor,
  type TestEditorOptions,
  type TestMarkdownEditor,
} from '../../create-editor.ts'
import { openConnections } from './failpoints/connections.ts'
import { MortalDialect } from './failpoints/mortal-dialect.ts'
import { MortalProcess } from './failpoints/mortal-process.ts'
import { mortalStorage } from './failpoints/mortal-storage.ts'
import type { Installation } from './installation.ts'

export interface User {
  readonly id: string
}

export interface Post {
  readonly id: number
  readonly body: string
}

/** One process of an application whose posts are in the same database as the ledger. */
export interface Application {
  readonly editor: TestMarkdownEditor<User>
  readonly database: Database
  /** @param user a signed-in user, or `anon:<session>` @returns the temporary URL */
  upload(user: string, bytes: Uint8Array): Promise<string>
  finalize(user: string, text: string): Promise<FinalizeResponse & { readonly text: string }>
  /** Rolls back if `fail` throws at the end. */
  save(user: string, post: Post, fail?: () => void): Promise<void>
  removePost(user: string, id: number): Promise<void>
  posts(): Promise<Post[]>
  get(url: string): Promise<Response>
  close(): Promise<void>
  /** Breaks the database connections of a dead process. */
  cut(): void
}

const ORIGIN = 'https://example.com'
const BOUNDARY = 'kill-test-boundary'
const ROLLBACK = new Error('rolled back')

/**
 * Does not wait for `editor.ready()`.
 * @param migrate false if the tables already exist, to save time
 */
export function startApplication(
  installation: Installation,
  process: MortalProcess = new MortalProcess(null),
  migrate = true,
): Application {
  const connections = openConnections(installation.engine, installation.url)
  const kysely = new Kysely<unknown>({ dialect: new MortalDialect(connections.dialect, process) })
  const database = openDatabase(kysely)
  const storage = mortalStorage(
    localFiles(installation.directory, { clock: installation.clock }),
    process,
  )
  const posts = postsIn(database)
  const editor = openEditor(installation, { database: kysely, storage, migrate })
  return {
    editor,
    database,
    posts,
    ...requestsOf(editor),
    ...savesOf(editor, database),
    async close() {
      await editor.close()
      await kysely.destroy()
    },
    cut: () => connections.cut(),
  }
}

function openEditor(
  installation: Installation,
  options: Pick<TestEditorOptions, 'database' | 'storage' | 'migrate'>,
): TestMarkdownEditor<User> {
  return createEditor<User>({
    ...options,
    secret: 'a secret of at least thirty-two bytes',
    authenticate: ({ request }) => {
      const id = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1]
      return id === undefined ? null : { id }
    },
    // Trusts the session that a client sends, because these tests are not about CSRF.
    csrf: { verify: () => true, session: ({ request }) => request.headers.get('x-session') },
    settings: {
      requireAuth: false,
      orphanGrace: installation.orphanGrace,
      unsavedGrace: 7 * 86_400, // The application tracks every text.
      uploadRateLimit: null,
      maxUploadSize: installation.maxUploadSize,
      sweepInterval: null, // Tests start each sweep themselves.
    },
    onDeleted: ({ id }) => void installation.deletedIds.add(id),
    logger: { warn: installation.log, error: installation.log },
    clock: installation.clock satisfies FakeClock,
  })
}

function requestsOf(
  editor: TestMarkdownEditor<User>,
): Pick<Application, 'upload' | 'finalize' | 'get'> {
  const fetch = (path: string, user: string | null, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers)
    const session = /^anon:(.+)$/.exec(user ?? '')?.[1]
    if (session !== undefined) headers.set('x-session', session)
    else if (user !== null) headers.set('authorization', `Bearer ${user}`)
    return editor.fetch(new Request(new URL(path, ORIGIN), { ...init, headers }))
  }
  return {
    async upload(user, bytes) {
      const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
      const init = { method: 'POST', headers, body: formWith(bytes), duplex: 'half' }
      const response = await fetch(editor.url('upload'), user, init as RequestInit)
      return (await answerOf<UploadResponse>(response, 201)).url
    },
    async finalize(user, text) {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text }),
      }
      const answer = await answerOf<FinalizeResponse>(
        await fetch(editor.url('finalize'), user, init),
        200,
      )
      const replaced = Object.entries(answer.replacements).reduce(
        (result, [from, to]) => result.replaceAll(from, to),
        text,
      )
      return { ...answer, text: replaced }
    },
    get: (url) => fetch(url, null, {}),
  }
}

/** Sends the file in several chunks. */
function formWith(bytes: Uint8Array): ReadableStream<Uint8Array> {
  const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n`
  const middle = Math.ceil(bytes.length / 2)
  const parts = [
    Buffer.from(head),
    bytes.subarray(0, middle),
    bytes.subarray(middle),
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]
  return new ReadableStream({
    pull(controller) {
      const part = parts.shift()
      if (part) controller.enqueue(part)
      else controller.close()
    },
  })
}

async function answerOf<Answer>(response: Response, status: number): Promise<Answer> {
  if (response.status !== status) throw new Error(`${response.status} ${await response.text()}`)
  return (await response.json()) as Answer
}

function postsIn(database: Database): Application['posts'] {
  return async () => {
    const rows = await database
      .executor(database.kysely)
      .query('SELECT id, body FROM app_post ORDER BY id')
    return rows.map((row) => ({ id: Number(row['id']), body: String(row['body']) }))
  }
}

function savesOf(
  editor: TestMarkdownEditor<User>,
  database: Database,
): Pick<Application, 'save' | 'removePost'> {
  const write = async (
    id: number,
    body: string | null,
    user: string,
    fail?: () => void,
  ): Promise<void> => {
    const record = { type: 'post', id }
    const texts = { body: body ?? '' }
    const actor = { actor: { id: user } }
    const { references } = editor
    const removed = await database.transaction(async (trx) => {
      const tx = database.executor(trx)
      await tx.execute(`DELETE FROM app_post WHERE id = ${id}`)
      if (body !== null) await tx.execute(insertPost({ id, body }))
      const change = await references.set(record, texts, { tx, ...actor })
      fail?.()
      return change.removed
    })
    await references.settle(removed, actor)
  }
  return {
    save: (user, { id, body }, fail) => write(id, body, user, fail),
    removePost: (user, id) => write(id, null, user),
  }
}

/** A body consists of lines such as `![](url)`, without quotes. */
function insertPost({ id, body }: Post): string {
  return `INSERT INTO app_post (id, body) VALUES (${id}, '${body}')`
}

export function rollBack(): never {
  throw ROLLBACK
}

export function ignoreRollback(error: unknown): void {
  if (error !== ROLLBACK) throw error
}
