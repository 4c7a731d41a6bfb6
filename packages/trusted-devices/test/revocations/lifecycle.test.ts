import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sqliteEngine } from '@quillgate/server/testing'
import type { RevocationChannel, RevocationListener } from '@quillgate/trusted-devices'
import { postgresRevocations } from '@quillgate/trusted-devices/postgres'
import { afterEach, describe, expect, it } from 'vitest'
import { type House, openHouse, SECRET } from '../support/house.ts'

let house: House | undefined
afterEach(async () => {
  await house?.close()
  house = undefined
})

/** A channel that says what becomes of it. */
function watchedChannel(close: () => Promise<void> = async () => {}) {
  const calls: string[] = []
  const channel: RevocationChannel = {
    open: (_name, listener: RevocationListener) => {
      calls.push('open')
      listener.onListening()
    },
    publish: async () => {},
    close: () => {
      calls.push('close')
      return close()
    },
  }
  return { calls, channel }
}

describe('ready', () => {
  it('does not let the process end while it waits for a channel that nobody answers', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quillgate-ready-'))
    const sources = new URL('../../src/', import.meta.url)
    try {
      const script = join(folder, 'start.mjs')
      await writeFile(
        script,
        `import { createQuillgate } from '${new URL('../../server/src/index.ts', sources).href}'
        import { createTrustedDevices } from '${new URL('index.ts', sources).href}'
        const never = { open() {}, publish: async () => {}, close: async () => {} }
        const gate = createQuillgate({ secret: '${SECRET}', database: 'sqlite:${join(folder, 'app.sqlite')}' })
        createTrustedDevices(gate, { revocations: never, users: { findById: () => null } })
        await gate.ready()
        console.log('ready')
        await gate.close()
        console.log('closed')`,
      )
      const args = ['--conditions=@quillgate/source', '--no-warnings', script]
      const { stdout } = await promisify(execFile)(process.execPath, args)
      expect(stdout).toBe('ready\nclosed\n')
    } finally {
      await rm(folder, { recursive: true })
    }
  }, 30_000)
})

describe('close', () => {
  it('ends the channel and the database though the locator’s end fails, and throws that', async () => {
    house = await openHouse(sqliteEngine())
    const { calls, channel } = watchedChannel()
    const locate = { locate: async () => null, close: () => Promise.reject(new Error('no end')) }
    const devices = house.reopenWith({ locate, revocations: channel })
    await devices.ready()
    await expect(devices.close()).rejects.toThrow('no end')
    expect(calls).toEqual(['open', 'close'])
    await expect(devices.registry.list('1')).rejects.toThrow()
    await expect(house.close()).rejects.toThrow('no end')
    house = undefined
  })

  it('during a start waits for it, and leaves nothing open', async () => {
    house = await openHouse(sqliteEngine())
    const { calls, channel } = watchedChannel()
    const { promise: located, resolve } = Promise.withResolvers<void>()
    const { promise: began, resolve: begin } = Promise.withResolvers<void>()
    const locate = {
      ready: () => {
        begin()
        return located
      },
      locate: async () => null,
      close: async () => void calls.push('locator'),
    }
    const devices = house.reopenWith({ locate, revocations: channel })
    const starting = devices.ready()
    await began
    const closing = devices.close()
    resolve()
    await Promise.all([starting, closing])
    expect(calls).toEqual(['open', 'locator', 'close'])
  })

  it('comes before a start that begins later, which begins nothing', async () => {
    house = await openHouse(sqliteEngine())
    const { calls, channel } = watchedChannel()
    const devices = house.reopenWith({ revocations: channel })
    await devices.close()
    await devices.ready().catch(() => {})
    expect(calls).toEqual(['close'])
  })

  it('does not wait for ever for a PostgreSQL that does not answer', async () => {
    house = await openHouse(sqliteEngine())
    const sockets = new Set<Socket>()
    const server = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const revocations = postgresRevocations(`postgres://nobody@127.0.0.1:${port}/nothing`)
    const devices = house.reopenWith({ revocations })
    await devices.ready()
    const began = performance.now()
    await devices.close()
    expect(performance.now() - began).toBeLessThan(4000)
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  it('does not wait for ever for a channel that does not end', async () => {
    house = await openHouse(sqliteEngine())
    const { channel } = watchedChannel(() => new Promise(() => {}))
    const devices = house.reopenWith({ revocations: channel })
    await devices.ready()
    await devices.close()
  })
})
