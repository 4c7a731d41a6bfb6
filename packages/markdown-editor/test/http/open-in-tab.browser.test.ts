import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mount } from '@quillgate/server/node'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { noChromium, sharedChromium } from '../../../../tests/support/chromium.ts'
import { gateOf } from '../../../server/test/support/test-gate.ts'
import { PNG } from '../media/upload/samples.ts'
import { type OpenRoutes, openRoutes } from './open-routes.ts'
import { promoteFile, uploadFile } from './stored-files.ts'

const PATIENT = { timeout: 10_000 }
const FILM = new URL('../../../../apps/demo/public/harbour.webm', import.meta.url)

describe('a file that is opened in its own tab', () => {
  let editor: OpenRoutes
  let server: Server
  let browser: Browser
  let origin: string

  beforeAll(async () => {
    if (noChromium) return
    editor = await openRoutes()
    server = createServer(mount(gateOf(editor.handler))).listen(0, '127.0.0.1')
    ;[browser] = await Promise.all([sharedChromium(), once(server, 'listening')])
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    server?.closeAllConnections()
    server?.close()
    await editor?.close()
  })
  beforeEach((context) => {
    if (noChromium) context.skip(noChromium)
  })

  it('plays if it is a video, despite the sandbox policy', async () => {
    const film = await uploadFile(editor, await readFile(FILM), 'a.webm', 'video/webm')
    const temporary = `/media/${film.tempKey}`
    const page = await browser.newPage()
    const canPlay = (): Promise<boolean> =>
      page.evaluate('document.querySelector("video").readyState >= 2')
    await page.goto(origin + temporary)
    await expect.poll(canPlay, PATIENT).toBe(true)
    const { key } = await promoteFile(editor, film)
    await page.goto(`${origin}/media/${key}`)
    await expect.poll(canPlay, PATIENT).toBe(true)
    await page.close()
  })

  it('is displayed in an opaque origin if it is an image', async () => {
    const { key } = await promoteFile(editor, await uploadFile(editor, PNG, 'a.png', 'image/png'))
    const page = await browser.newPage()
    await page.goto(`${origin}/media/${key}`)
    expect(await page.evaluate('document.images[0].naturalWidth')).toBe(1)
    expect(await page.evaluate('origin')).toBe('null')
    await page.close()
  })
})
