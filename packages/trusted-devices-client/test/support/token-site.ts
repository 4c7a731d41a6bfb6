import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { mount } from '@quillgate/server/node'
import { sqliteEngine } from '@quillgate/server/testing'
import { build } from 'esbuild'
import { type House, openHouse } from '../../../trusted-devices/test/support/house.ts'

const CLIENT = fileURLToPath(new URL('../../src/token-client', import.meta.url))

const PAGE_SCRIPT = `import { createTokenClient } from './index.ts'
const state = { offset: 0, signedOut: [] }
const client = createTokenClient({ clock: () => Date.now() + state.offset })
client.onSignedOut((reason) => state.signedOut.push(reason))
Object.assign(globalThis, { state, client })`

/** A server with trusted devices that loses requests or responses. */
export interface TokenSite {
  readonly url: string
  readonly house: House
  /** Milliseconds by which the server's clock is ahead. */
  offset: number
  /** The shares of requests that are lost, from 0 to 1. */
  lostRequests: number
  lostAnswers: number
  /** The number of refreshes that reached the component. */
  refreshes: number
  lost: number
  close(): Promise<void>
}

/** @param random returns numbers from 0 to 1 that decide which requests are lost */
export async function startTokenSite(random: () => number): Promise<TokenSite> {
  const { outputFiles } = await build({
    stdin: { contents: PAGE_SCRIPT, resolveDir: CLIENT, loader: 'ts' },
    bundle: true,
    format: 'esm',
    write: false,
    conditions: ['@quillgate/source'],
  })
  const script = outputFiles[0]?.text ?? ''
  const house = await openHouse(sqliteEngine(), {}, { clock: () => Date.now() + site.offset })
  const listener = mount(house.devices.gate)
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? '/'
    if (path.startsWith('/trusted-devices')) {
      const fate = random()
      if (fate < site.lostRequests + site.lostAnswers) site.lost++
      if (fate < site.lostRequests) {
        request.socket.destroy()
        return
      }
      if (path.endsWith('/refresh')) site.refreshes++
      // The component handles the request, but its response never arrives.
      if (fate < site.lostRequests + site.lostAnswers)
        response.end = (() => request.socket.destroy()) as never
      if (fate < site.lostRequests + site.lostAnswers) response.write = (() => true) as never
      listener(request, response)
      return
    }
    const isScript = path === '/client.js'
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
    response.end(
      isScript
        ? script
        : '<!doctype html><title>Tab</title><script type="module" src="/client.js"></script>',
    )
  }
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const site: TokenSite = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    house,
    offset: 0,
    lostRequests: 0,
    lostAnswers: 0,
    refreshes: 0,
    lost: 0,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await house.close()
    },
  }
  return site
}
