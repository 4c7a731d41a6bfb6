import { expect } from 'vitest'
import { png } from './png.ts'

/** A browser that keeps cookies. */
export class FormBrowser {
  readonly #server: string
  readonly #origin: string
  readonly #cookies = new Map<string, string>()

  /**
   * @param origin the origin of the pages. It differs from `server` if a development server
   * forwards the requests.
   */
  constructor(server: string, origin = server) {
    this.#server = server
    this.#origin = origin
  }

  async get(path: string): Promise<Response> {
    return this.#send(path, {})
  }

  async post(
    path: string,
    body: NonNullable<RequestInit['body']>,
    headers: Record<string, string> = {},
  ) {
    return this.#send(path, { method: 'POST', body, headers })
  }

  /** Returns the CSRF token in the form of a page. */
  async token(path: string): Promise<string> {
    const page = await (await this.get(path)).text()
    return /name="csrf_token" value="([^"]*)"/.exec(page)?.[1] ?? ''
  }

  async #send(path: string, { headers, ...init }: RequestInit): Promise<Response> {
    const cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ')
    const response = await fetch(new URL(path, this.#server), {
      ...init,
      redirect: 'manual',
      headers: { ...headers, cookie, origin: this.#origin },
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.#cookies.set(name, value)
    }
    return response
  }
}

/** Tests an example. Signs in, uploads an image, saves a post, and reads its page. */
export async function signInAndPost(browser: FormBrowser): Promise<void> {
  const login = await browser.token('/login')
  const fields = { csrf_token: login, username: 'ada', password: 'quillgate' }
  expect((await browser.post('/login', new URLSearchParams(fields))).status).toBe(303)
  const devices = (await (await browser.get('/trusted-devices')).json()) as { devices: unknown[] }
  expect(devices.devices).toHaveLength(1)

  const token = await browser.token('/')
  const file = new FormData()
  file.append('file', new Blob([png(8, 8, [255, 0, 0])]), 'red.png')
  const upload = await browser.post('/md-editor/upload', file, { 'x-csrf-token': token })
  expect(upload.status).toBe(201)
  const { url } = (await upload.json()) as { url: string }
  const long = 'long '.repeat(30_000) // Body parsers reject this length by default.
  const post = new URLSearchParams({ csrf_token: token, body: `*red* ![](${url}) ${long}` })
  expect((await browser.post('/', post)).status).toBe(303)

  const page = await (await browser.get('/')).text()
  expect(page).toContain('<em>red</em>')
  const images = [...page.matchAll(/<img[^>]* src="(\/media\/[^"]*)"/g)]
  const image = images.at(-1)?.[1] ?? ''
  expect((await browser.get(image)).headers.get('content-type')).toBe('image/png')
  const [, script = ''] = /src="(\/md-editor\/assets\/[^"]*)"/.exec(page) ?? []
  const { headers } = await browser.get(script)
  expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8')
}
