import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import {
  type AdminField,
  MarkdownEditorAdminMixin,
  ModelAdmin,
  renderAssets,
} from '@quillgate/markdown-editor'
import type { Quillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/node'
import { memoryStorage } from '@quillgate/storage/testing'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type BuiltClient, builtClient } from '../../../../tests/support/built-client.ts'
import { noChromium, sharedChromium } from '../../../../tests/support/chromium.ts'
import { createEditor } from '../../../markdown-editor/test/create-editor.ts'
import { png } from '../../../markdown-editor/test/editor-fixture.ts'
import { gateOf } from '../../../server/test/support/test-gate.ts'

const ada = { id: 'ada' }
const editor = createEditor({
  ...{
    secret: 'a secret of at least thirty-two bytes',
    database: 'sqlite::memory:',
    storage: memoryStorage(),
    authenticate: () => ada,
  },
  basePath: '/cms/editor',
  settings: { toolbar: ['bold', 'image'], tempUploadPath: 'incoming/' },
})

class PostAdmin extends MarkdownEditorAdminMixin(ModelAdmin) {
  static override editor = editor
  static override markdownFields = ['body']
}

const fields: readonly AdminField[] = [
  { name: 'title', type: 'string' },
  { name: 'summary', type: 'text' },
  { name: 'body', type: 'text' },
]
const saved: URLSearchParams[] = []

async function adminPage(request: Request): Promise<Response> {
  const token = await editor.gate.csrfToken(request)
  const widgets = new PostAdmin().formFieldsFor(fields)
  const controls = Array.from(
    widgets,
    ([name, widget]) => `<label for="id_${name}">${name}</label>${widget.render(name, '')}`,
  )
  const page = new Response(
    `<!doctype html><html lang="en"><head><title>Post</title><link rel="icon" href="data:,">
    ${renderAssets(...Array.from(widgets.values(), ({ assets }) => assets))}</head>
    <body><form action="/save" method="post"><input type="hidden" name="csrf_token" value="${token}">
    ${controls.join('\n')}<button>Save</button></form></body></html>`,
    { headers: { 'content-type': 'text/html; charset=utf-8' } },
  )
  return editor.gate.respond(request, page)
}

function application(client: BuiltClient): Pick<Quillgate, 'fetch' | 'handles'> {
  return {
    handles: () => true,
    async fetch(request, connection) {
      const { pathname } = new URL(request.url)
      const asset = /^\/cms\/editor\/assets\/[^/]+\/(.+)$/.exec(pathname)?.[1] ?? ''
      const type = client.types[asset]
      if (type !== undefined) {
        return new Response(new Uint8Array(readFileSync(join(client.folder, asset))), {
          headers: { 'content-type': type },
        })
      }
      if (editor.handles(request.url)) return editor.fetch(request, connection)
      if (pathname === '/save') {
        saved.push(new URLSearchParams(await request.text()))
        return new Response('<title>Saved</title>', { headers: { 'content-type': 'text/html' } })
      }
      return adminPage(request)
    },
  }
}

describe('an admin page', () => {
  let server: Server
  let browser: Browser
  let url: string

  beforeAll(async () => {
    if (noChromium) return
    const [client] = await Promise.all([builtClient('markdown-editor-element'), editor.ready()])
    browser = await sharedChromium()
    server = createServer(mount(gateOf(application(client))))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })
  afterAll(async () => {
    server?.closeAllConnections()
    server?.close()
    await editor.close()
  })
  beforeEach((context) => {
    if (noChromium) context.skip(noChromium)
  })

  it('shows the toolbar of the editor, formats, uploads and saves', async () => {
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(String(error)))
    await page.goto(url)
    const buttons = page.getByRole('toolbar').getByRole('button')
    await page.getByRole('button', { name: 'Bold' }).waitFor()
    expect(await buttons.count()).toBeGreaterThanOrEqual(2)
    expect(await page.locator('markdown-editor').count()).toBe(1)

    const text = page.getByLabel('body', { exact: true })
    await text.fill('strong')
    await text.selectText()
    await page.getByRole('button', { name: 'Bold' }).click()
    await expect.poll(() => text.inputValue()).toBe('**strong**')
    await buttons.nth(1).click()
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose files' }).click(),
    ])
    await chooser.setFiles([{ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from(png()) }])
    await page.getByRole('dialog').getByRole('button', { name: 'Insert' }).click()
    await expect.poll(() => text.inputValue()).toContain('/media/incoming/')

    await page.getByLabel('title').fill('A title')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL('**/save')
    expect(saved[0]?.get('title')).toBe('A title')
    expect(saved[0]?.get('body')).toMatch(/^\*\*strong.*\/media\/md-editor\/uploads\//s)
    expect(errors).toEqual([])
    await page.close()
  })
})
