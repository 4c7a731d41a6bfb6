import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { mount } from '@quillgate/server/node'
import { sqliteEngine } from '@quillgate/server/testing'
import { build } from 'esbuild'
import { type House, openHouse } from '../../../trusted-devices/test/support/house.ts'

const CLIENT = fileURLToPath(new URL('../../src/token-client', import.meta.url))

/** The script of the pages: a client whose clock can be advanced, and a record of sign-outs. */
const PAGE_SCRIPT = `import { createTokenClient } from './index.ts'
const state = { offset: 0, signedOut: [] }
const client = createTokenClient({ clock: () => Date.now() + state.offset })
client.onSignedOut((reason) => state.signedOut.push(reason))
Object.assign(globalThis, { state, client })`

/** A server with the real component that loses requests or answers. */
export interface TokenSite {
  readonly url: string
  readonly house: House
  /** Milliseconds that the server's clock is ahead. */
  offset: number
  /** Shares of requests, from 0 to 1. */
  lostRequests: number
  lostAnswers: number
  /** Refreshes that reached the component. */
  refreshes: number
  /** Requests and answers that were lost. */
  lost: number
  close(): Promise<void>
}

/** Starts it on a free port. @param random numbers from 0 to 1 that decide what is lost */
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
      // The component handles the request; its answer never arrives.
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
