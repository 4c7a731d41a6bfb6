import { Buffer } from 'node:buffer'
import type { SettingsInput } from '@quillgate/markdown-editor'
import { BaseUploadHandler } from '@quillgate/markdown-editor'
import { type Database, openDatabase } from '@quillgate/server/database'
import { createFakeClock, type FakeClock } from '@quillgate/server/testing'
import { memoryStorage } from '@quillgate/storage/testing'
import { createLedgerDatabase } from '../../packages/markdown-editor/src/media/ledger/ledger-database.ts'
import { MediaLedger } from '../../packages/markdown-editor/src/media/ledger/media-ledger.ts'
import {
  createEditor,
  type TestEditorOptions,
  type TestMarkdownEditor,
} from '../../packages/markdown-editor/test/create-editor.ts'
import { createTestCsrf } from '../../packages/server/test/support/test-csrf.ts'

/** The time of the recorded cases: 2026-03-15T12:00:00Z. */
export const RECORDED_AT: number = Date.UTC(2026, 2, 15, 12)
export const ORIGIN = 'http://testserver'
const secret = 'a secret of at least thirty-two bytes'

/** The environment of a recorded case. Unlike in the original, names of stored files have an id. */
export interface MediaWorld {
  readonly editor: TestMarkdownEditor
  readonly database: Database
  readonly clock: FakeClock
  /** The CSRF token and cookie of the only browser. */
  readonly csrf: { readonly token: string; readonly cookie: string; readonly session: string }
  /** Adds the ids to the file names in a text of the case. */
  toOurs(text: string): string
  /** Removes the ids from a key, a URL or a text. */
  toTheirs(text: string): string
  /** Returns all files in folders, each as its path without the id, a space, and its content. */
  files(): Promise<string[]>
  close(): Promise<void>
}

/** Converts settings of the original to our settings. */
export function toSettings(theirs: Readonly<Record<string, unknown>> = {}): SettingsInput {
  const names: Readonly<Record<string, string>> = {
    REQUIRE_AUTH: 'requireAuth',
    UPLOAD_PATH: 'uploadPath',
    TEMP_UPLOAD_PATH: 'tempUploadPath',
    TEMP_MAX_AGE: 'tempMaxAge',
    CLEANUP_MEDIA: 'cleanupMedia',
  }
  const entries = Object.entries(theirs).flatMap(([name, value]) =>
    names[name] ? [[names[name], value]] : [],
  )
  return Object.fromEntries(entries)
}

/** A handler without the method `finalize`, like the minimal handler in the documentation. */
class Minimal extends BaseUploadHandler {
  override save(): Promise<string> {
    return Promise.reject(new Error('No case uploads with it.'))
  }
}

/**
 * Opens the environment of a recorded case. @param files the contents by path. Only files in media
 * folders get a row in the ledger.
 */
export async function openWorld(
  files: Readonly<Record<string, string>>,
  theirSettings: Readonly<Record<string, unknown>> = {},
  {
    owner,
    ageSeconds = {},
  }: { owner?: string; ageSeconds?: Readonly<Record<string, number>> } = {},
): Promise<MediaWorld> {
  const clock = createFakeClock(RECORDED_AT)
  const storage = memoryStorage({ clock })
  const database = openDatabase('sqlite::memory:')
  const csrf = createTestCsrf({ secret, publicOrigin: ORIGIN })
  const issued = csrf.issue(
    { request: new Request(`${ORIGIN}/`) },
    theirSettings['REQUIRE_AUTH'] === false ? null : { id: 1 },
  )
  const cookie = (issued.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const session =
    csrf.session({ request: new Request(`${ORIGIN}/`, { headers: { cookie } }) }) ?? ''
  const options: TestEditorOptions = {
    secret,
    database: database.kysely,
    storage,
    csrf,
    publicOrigin: ORIGIN,
    authenticate: ({ request }) =>
      request.headers.get('x-signed-in') === 'yes' ? { id: 1 } : null,
    settings: {
      orphanGrace: 0,
      unsavedGrace: 86_400,
      uploadRateLimit: null,
      ...toSettings(theirSettings),
    },
    logger: { warn: () => {}, error: () => {} },
    clock,
    ...(theirSettings['UPLOAD_HANDLER_CLASS'] === undefined
      ? {}
      : { uploadHandler: new Minimal() }),
  }
  const editor = createEditor(options)
  await editor.ready()
  const uploader = owner ?? (theirSettings['REQUIRE_AUTH'] === false ? `anon:${session}` : 'user:1')
  const names = new Map<string, string>()
  const ledger = new MediaLedger(createLedgerDatabase(database, 'quillgate_'))
  const fixed = editor.getSetting('uploadPath').replace(/[^/]*%.*/, '')

  for (const [index, [path, content]] of Object.entries(files).entries()) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    const isTemporary = path.startsWith(editor.getSetting('tempUploadPath'))
    const isOurs = isTemporary || path.startsWith(fixed)
    const id = `m${String(index).padStart(26, '0')}`
    const name = path.slice(folder.length)
    const key = isOurs ? `${folder}${id}-${name}` : path
    clock.set(RECORDED_AT - (ageSeconds[path] ?? 0) * 1000)
    await storage.write(key, ReadableStream.from([Buffer.from(content)]), { type: 'image/png' })
    if (!isOurs) continue
    names.set(path, key)
    const tempKey = isTemporary ? key : `${editor.getSetting('tempUploadPath')}${id}-${name}`
    await ledger.begin({
      id,
      owner: uploader,
      name,
      type: 'image/png',
      tempKey,
      createdAt: clock(),
    })
    await ledger.complete(
      id,
      { name, type: 'image/png', size: Buffer.byteLength(content), checksum: '0' },
      clock(),
    )
    if (isTemporary) continue
    await ledger.beginPromotion(id, key, clock())
    await ledger.completePromotion(id, clock())
  }
  clock.set(RECORDED_AT)

  return {
    ...{ editor, database, clock },
    csrf: { token: issued.token, cookie, session },
    toOurs: (text) => toOurs(text, names),
    toTheirs: (text) => text.replaceAll(/m[0-9]{26}-/g, ''),
    async files() {
      const found: string[] = []
      for (const prefix of ['md-editor/', 'md/', 'files/', 'incoming/', 'u-2026/']) {
        for await (const { key } of storage.list(prefix)) {
          const content = await new Response((await storage.read(key))?.body).text()
          found.push(`${key.replace(/m[0-9]{26}-/, '')} ${content}`)
        }
      }
      return found.sort()
    },
    async close() {
      await editor.close()
      await database.close()
    },
  }
}

/** Adds the ids to whole paths, and then to other names of known files, including encoded names. */
function toOurs(text: string, names: ReadonlyMap<string, string>): string {
  let ours = text
  for (const [path, key] of names) ours = ours.replaceAll(path, key)
  for (const key of names.values()) {
    const [, id = '', name = ''] = /(m[0-9]{26})-([^/]+)$/.exec(key) ?? []
    ours = ours.replaceAll(/(?<![\w.%-])[\w.%()-]+\.[a-z0-9]+(?![\w.-])/g, (found) => {
      return decode(found) === name ? `${id}-${found}` : found
    })
  }
  return ours
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
