import type { TestDevices } from '../../../trusted-devices/test/support/create-devices.ts'
import type { TabWorld } from './tab-world.ts'

/** The state of a network. Shares are numbers from 0 to 1. */
export interface Weather {
  /** The share of requests that never arrive at the server. */
  readonly lostRequests: number
  /** The share of requests that the server handles, but whose response never arrives. */
  readonly lostAnswers: number
  /** The share of lost requests and responses that end in an error. The others never end. */
  readonly errors: number
  /** The longest delay of a request, in milliseconds. */
  readonly slowest: number
}

/** The numbers of requests that reached the server, by path. */
export interface Traffic {
  refreshes: number
  others: number
}

export function createTabFetch(
  world: TabWorld,
  devices: TestDevices,
  tab: number,
  weather: () => Weather,
  traffic: Traffic,
): (request: Request) => Promise<Response> {
  return (request) =>
    new Promise((resolve, reject) => {
      const { lostRequests, lostAnswers, errors, slowest } = weather()
      const [fate, kind, there, back] = [
        world.random(),
        world.random(),
        world.random(),
        world.random(),
      ]
      const body = request.method === 'GET' ? null : request.clone().text()
      const fail = (): void => reject(new TypeError('Failed to fetch'))
      const lose = (): void => {
        if (kind < errors) world.later(50 + there * 500, tab, fail)
      }
      request.signal.addEventListener('abort', () => reject(request.signal.reason))
      if (fate < lostRequests) return lose()
      // A request arrives even if its tab is asleep or has given up.
      world.later(5 + there * there * slowest, null, () => {
        world.busy++
        const refreshes = new URL(request.url).pathname.endsWith('/refresh')
        if (refreshes) traffic.refreshes++
        else traffic.others++
        serve(devices, request, body)
          .then((response) => {
            if (fate < lostRequests + lostAnswers) return lose()
            world.later(5 + back * back * slowest, tab, () => resolve(response))
          }, reject)
          .finally(() => {
            world.busy--
          })
      })
    })
}

/** Lets the server handle a request. The server does not notice that a client has given up. */
async function serve(
  devices: TestDevices,
  request: Request,
  body: Promise<string> | null,
): Promise<Response> {
  const { url, method, headers } = request
  const sent = new Request(url, { method, headers, ...(body === null ? {} : { body: await body }) })
  return devices.fetch(sent, { address: '203.0.113.10' })
}
