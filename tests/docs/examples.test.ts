import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Express } from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

describe('the examples of the README', () => {
  const cwd = process.cwd()
  const servers: Server[] = []
  let folder: string

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'quillgate-examples-'))
    process.chdir(folder) // The examples keep their data in ./data.
  })

  afterAll(() => {
    for (const server of servers) server.close()
    process.chdir(cwd)
    rmSync(folder, { recursive: true, force: true })
  })

  async function listen(app: Express): Promise<string> {
    const server = createServer(app)
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  const cookiesOf = (response: Response): string =>
    response.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; ')

  const tokenIn = (html: string): string =>
    /name="csrf_token" value="([^"]+)"/.exec(html)?.[1] ?? ''

  it.each(['express-markdown-editor.ts', 'express-trusted-devices.ts'])(
    '%s stands in the README word for word',
    (name) => {
      const readme = readFileSync(join(root, 'README.md'), 'utf8')
      expect(readme).toContain(readFileSync(join(root, 'examples', name), 'utf8').trim())
    },
  )

  it('the editor takes an upload, finalizes it on save and shows it', async () => {
    const { app, gate } = await import('../../examples/express-markdown-editor.ts')
    const url = await listen(app)
    const page = await fetch(`${url}/posts/new`)
    const token = tokenIn(await page.text())
    const headers = { cookie: cookiesOf(page), origin: url }

    const upload = new FormData()
    upload.set('csrf_token', token)
    upload.set('file', new Blob(['Only text'], { type: 'text/plain' }), 'note.txt')
    const uploaded = await fetch(`${url}/md-editor/upload`, {
      method: 'POST',
      headers,
      body: upload,
    })
    expect(uploaded.status).toBe(201)
    const { url: temporary } = (await uploaded.json()) as { url: string }

    const body = new URLSearchParams({ csrf_token: token, body: `[note](${temporary})` })
    const saved = await fetch(`${url}/posts/new`, { method: 'POST', headers, body })
    expect(await saved.text()).toMatch(
      /<a href="\/media\/md-editor\/uploads\/\d{4}\/\d{2}\/[^"]+-note\.txt"/,
    )

    const forged = await fetch(`${url}/posts/new`, { method: 'POST', body })
    expect(forged.status).toBe(403)
    await gate.close()
  })

  it('the devices sign a browser in', async () => {
    const { app, gate } = await import('../../examples/express-trusted-devices.ts')
    const url = await listen(app)
    const page = await fetch(`${url}/login`)
    const body = new URLSearchParams({
      csrf_token: tokenIn(await page.text()),
      username: 'ada',
      password: 'quillgate',
    })
    const headers = {
      cookie: cookiesOf(page),
      origin: url,
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0',
    }
    const signedIn = await fetch(`${url}/login`, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
    })
    expect(signedIn.status).toBe(303)
    const home = await fetch(url, { headers: { cookie: cookiesOf(signedIn) } })
    expect(await home.text()).toBe('You are 1 on Firefox on Linux')
    await gate.close()
  })
})
