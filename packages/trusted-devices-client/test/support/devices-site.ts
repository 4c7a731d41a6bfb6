import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { RequestContext } from '@quillgate/server/http'
import { mount } from '@quillgate/server/node'
import { sqliteEngine } from '@quillgate/server/testing'
import { submitDeviceForm } from '@quillgate/trusted-devices'
import {
  type DeviceListOptions,
  type DeviceListProblem,
  renderDeviceList,
} from '@quillgate/trusted-devices-client/list'
import { builtClient } from '../../../../tests/support/built-client.ts'
import type { TestDevicesOptions } from '../../../trusted-devices/test/support/create-devices.ts'
import { type House, openHouse } from '../../../trusted-devices/test/support/house.ts'

/**
 * The Content Security Policy under which the list must work. It forbids inline scripts, inline
 * styles and other hosts, and requires Trusted Types.
 */
export const STRICT_CSP: string =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'"

export interface SiteLook {
  list?: Partial<DeviceListOptions>
  /** HTML that replaces the list of the server. */
  html?: string
  /** Attributes of `<html>`. @default lang="en" */
  root?: string
}

/** A server with trusted devices, a sign-in, a list at `/list` and a page at `/signed-out`. */
export interface DevicesSite {
  readonly url: string
  readonly house: House
  look: SiteLook
  /** @returns the uid of the new device */
  addDevice(userAgent?: string): Promise<string>
  close(): Promise<void>
}

export const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1'

export async function startDevicesSite(
  options: Partial<TestDevicesOptions> = {},
): Promise<DevicesSite> {
  const { folder: assets, types } = await builtClient('trusted-devices-client')
  const { settings = {}, ...more } = options
  const house = await openHouse(sqliteEngine(), settings, {
    clock: Date.now,
    locate: () => ({ city: 'Berlin', country: 'DE' }),
    ...more,
  })
  const listener = mount(house.devices.gate)
  const server = createServer((request, response) => {
    listener(request, response, () => {
      answer(request, response).catch((error: unknown) => {
        response.writeHead(500).end(String(error))
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const site: DevicesSite = {
    url,
    house,
    look: {},
    async addDevice(userAgent = PHONE) {
      const request = new Request(`${url}/login`, { headers: { 'user-agent': userAgent } })
      const { device } = await house.devices.login(
        { id: '1' },
        { request, address: '203.0.113.10' },
        { transport: 'bearer' },
      )
      return device.uid
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await house.close()
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', url)
    const send = (status: number, type: string, body: string | Buffer): void => {
      response.writeHead(status, {
        'content-type': type,
        'content-security-policy': STRICT_CSP,
        'referrer-policy': 'same-origin',
      })
      response.end(body)
    }
    const redirect = (path: string): void => {
      response.writeHead(303, { location: path }).end()
    }
    const asset = pathname.startsWith('/assets/') ? pathname.slice('/assets/'.length) : ''
    const type = types[asset]
    if (type !== undefined) return send(200, type, readFileSync(join(assets, asset)))
    if (pathname === '/page.css')
      return send(200, 'text/css', 'html { background: Canvas; color: CanvasText }')
    if (pathname === '/signed-out')
      return send(200, 'text/html; charset=utf-8', '<title>Out</title><h1>Signed out</h1>')
    const context = house.devices.gate.parts.contexts.of(request, 'test')
    if (pathname === '/sign-in') {
      const { headers } = await house.devices.login({ id: '1' }, context, { transport: 'cookie' })
      response.setHeader('set-cookie', headers.getSetCookie())
      return redirect('/list')
    }
    const session = await house.devices.authenticate(context)
    if (!session) return redirect('/signed-out')
    const show = async (status: number, problem: DeviceListProblem | null): Promise<void> => {
      const html = await listPage(site, context, {
        uid: session.device.uid,
        cursor: searchParams.get('cursor'),
        problem,
      })
      send(status, 'text/html; charset=utf-8', html)
    }
    if (request.method === 'GET') return show(200, null)
    const fields = Object.fromEntries(new URLSearchParams(await readAll(request)))
    const result = await submitDeviceForm(house.devices, context, { action: '/list', fields })
    return result.problem ? show(result.status, result.problem) : redirect('/list')
  }
  return site
}

async function listPage(
  { house, look }: DevicesSite,
  context: RequestContext,
  {
    uid,
    cursor,
    problem,
  }: { uid: string; cursor: string | null; problem: DeviceListProblem | null },
): Promise<string> {
  const token = await house.devices.gate.csrfToken(context)
  const page = await house.devices.registry.list('1', { limit: 4, cursor })
  const list = renderDeviceList({
    ...page,
    current: uid,
    csrfToken: token,
    action: '/list',
    problem,
    ...look.list,
  })
  return `<!doctype html>
<html ${look.root ?? 'lang="en"'}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="csrf-token" content="${token}">
<title>Devices</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
<link rel="stylesheet" href="/assets/trusted-devices.css">
<script type="module" src="/assets/trusted-devices.js"></script>
</head>
<body><main><h1>Devices</h1>${look.html ?? list}</main></body>
</html>`
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
