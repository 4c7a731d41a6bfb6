import type { TestEngine } from '@quillgate/server/testing'
import { afterEach, beforeEach } from 'vitest'
import { startTcpProxy, type TcpProxy } from '../../../server/test/database/fixtures/tcp-proxy.ts'
import type { TestDevices } from './create-devices.ts'
import { type House, openHouse } from './house.ts'

/** Trusted devices whose database connection a test can cut. */
export interface CutCommits {
  readonly house: House
  readonly proxy: TcpProxy
  readonly devices: TestDevices
  /** The URL of the database through the proxy. */
  readonly url: string
  /** The logged error messages. */
  readonly lost: readonly string[]
  /** Cuts the connection at the next commit. The commit succeeds, but its response is lost. */
  cutCommit(): void
}

export function useCutCommits(
  engine: TestEngine,
  settings: Parameters<typeof openHouse>[1] = {},
): () => CutCommits {
  let current: CutCommits
  beforeEach(async () => {
    const house = await openHouse(engine, settings)
    const url = new URL(house.url)
    const proxy = await startTcpProxy(Number(url.port))
    url.port = String(proxy.port)
    const lost: string[] = []
    const devices = house.reopenWith({
      database: url.href,
      logger: { warn: () => {}, error: (message) => void lost.push(message) },
    })
    // The bytes of COMMIT in each driver. The byte next to the word excludes "read committed".
    const cutCommit = (): void =>
      proxy.cutAfter(engine.name === 'postgres' ? 'commit\0' : '\x03commit')
    current = { house, proxy, devices, url: url.href, lost, cutCommit }
    await devices.ready()
  })
  afterEach(async () => {
    await current.devices.close()
    await current.proxy.close()
    await current.house.close()
  })
  return () => current
}
