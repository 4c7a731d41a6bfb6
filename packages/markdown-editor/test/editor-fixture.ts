import { DefaultUploadHandler, type SettingsInput, type Storage } from '@quillgate/markdown-editor'
import { createFakeClock, type FakeClock } from '@quillgate/server/testing'
import { memoryStorage } from '@quillgate/storage/testing'
import { png as pngOf } from '../../../tests/support/png.ts'
import type {
  FinalizeResponse,
  UploadResponse,
} from '../../markdown-editor-element/src/contract/wire.ts'
import type { UploadHandler } from '../src/media/upload/upload-handler.ts'
import { createEditor, type TestEditorOptions, type TestMarkdownEditor } from './create-editor.ts'
import { withFormAsBytes } from './form-bytes.ts'

export interface TestUser {
  readonly id: string
}

export interface TestEditor {
  readonly editor: TestMarkdownEditor<TestUser>
  readonly storage: Storage
  readonly clock: FakeClock
  readonly logged: string[]
  request(
    method: string,
    path: string,
    init?: { user?: string | null; body?: RequestInit['body']; headers?: RequestInit['headers'] },
  ): Promise<Response>
  upload(name: string, bytes: Uint8Array<ArrayBuffer>, user?: string): Promise<UploadResponse>
  finalize(text: string, user?: string): Promise<FinalizeResponse>
  get(path: string): Promise<Response>
  /** Uploads and finalizes an image. */
  addPermanent(user?: string): Promise<{ url: string; id: string }>
  storedKeys(): Promise<string[]>
  close(): Promise<void>
}

export const ORIGIN = 'https://example.com'
const secret = 'a secret of at least thirty-two bytes'

type OpenOptions = Partial<TestEditorOptions<TestUser>> &
  HandlerMethods & { readonly ready?: boolean }

interface HandlerMethods {
  readonly validate?: UploadHandler['validate'] | undefined
  readonly transform?: UploadHandler['transform'] | undefined
}

export function handlerWith(
  methods: HandlerMethods,
  handler: UploadHandler = new DefaultUploadHandler(),
): UploadHandler {
  const given = Object.entries(methods).filter(([, method]) => method !== undefined)
  return Object.assign(handler, Object.fromEntries(given))
}

/** Users sign in with `authorization: Bearer <id>`. */
export async function openEditor(
  settings: SettingsInput = {},
  { ready = true, validate, transform, ...options }: OpenOptions = {},
): Promise<TestEditor> {
  const clock = createFakeClock()
  const storage = options.storage ?? memoryStorage({ clock })
  const logged: string[] = []
  const log = (message: string): void => void logged.push(message)
  const editor = createEditor<TestUser>({
    secret,
    database: 'sqlite::memory:',
    storage,
    authenticate: ({ request }) => {
      const id = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1]
      return id === undefined ? null : { id }
    },
    settings: { orphanGrace: 0, uploadRateLimit: null, ...settings },
    logger: { warn: log, error: log },
    clock,
    ...(validate || transform
      ? { uploadHandler: handlerWith({ validate, transform }, options.uploadHandler) }
      : {}),
    ...options,
  })
  if (ready) await editor.ready()

  const request: TestEditor['request'] = async (
    method,
    path,
    { user = 'ada', body, headers } = {},
  ) => {
    const all = new Headers(headers)
    if (user !== null) all.set('authorization', `Bearer ${user}`)
    const init = { method, headers: all, ...(body === undefined ? {} : { body }) }
    return editor.fetch(new Request(ORIGIN + path, await withFormAsBytes(init)))
  }
  const upload: TestEditor['upload'] = async (name, bytes, user = 'ada') => {
    const form = new FormData()
    form.append('file', new File([bytes], name, { type: 'image/png' }))
    return answerOf(await request('POST', editor.url('upload'), { user, body: form }), 201)
  }
  const finalize: TestEditor['finalize'] = async (text, user = 'ada') => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ text })
    return answerOf(await request('POST', editor.url('finalize'), { user, body, headers }), 200)
  }
  return {
    ...{ editor, storage, clock, logged, request, upload, finalize },
    get: (path) => request('GET', path, { user: null }),
    async addPermanent(user = 'ada') {
      const { url } = await upload('a.png', png(), user)
      const { replacements } = await finalize(`![a](${url})`, user)
      const permanent = replacements[url] ?? ''
      return { url: permanent, id: idOf(permanent) }
    },
    async storedKeys() {
      const keys: string[] = []
      for await (const { key } of storage.list('md-editor/')) keys.push(key)
      return keys.sort()
    },
    close: () => editor.close(),
  }
}

/** One day in milliseconds. */
export const DAY = 86_400_000

/** Returns a text that mentions a file. */
export const image = ({ url }: { readonly url: string }): string => `![a](${url})`

export const keyOf = ({ url }: { readonly url: string }): string => keyOfUrl(url)

export function idOf(url: string): string {
  return /m[0-9a-z]{26}/.exec(url)?.[0] ?? ''
}

async function answerOf<Answer>(response: Response, status: number): Promise<Answer> {
  if (response.status !== status) throw new Error(`${response.status} ${await response.text()}`)
  return (await response.json()) as Answer
}

/** `pixels` is the width, so that images can differ. */
export const png = (pixels = 1): Uint8Array<ArrayBuffer> =>
  new Uint8Array(pngOf(pixels, 1, [7, 7, 7]))

/** The key of a temporary file lacks the size of the image. */
export function keyOfUrl(url: string): string {
  return url.slice('/media/'.length).replace(/(\/tmp\/[^/-]+-)\d+x\d+-/, '$1')
}
