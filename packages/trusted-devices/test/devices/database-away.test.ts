import { openDatabase } from '@quillgate/server/database'
import { sqliteEngine } from '@quillgate/server/testing'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startTcpProxy, type TcpProxy } from '../../../server/test/database/fixtures/tcp-proxy.ts'
import { BearerClient, Browser } from '../support/client.ts'
import type { TestDevices } from '../support/create-devices.ts'
import { type House, openHouse } from '../support/house.ts'

const NAME = `away-${process.pid}`
const SOON = { timeout: 10_000 }
const LIMITS = {
  poolSize: 3,
  connectTimeout: 1,
  statementTimeout: 0.5,
  lockTimeout: 0.5,
}

/** Also checks that no cookie is deleted, because that would sign the browser out. */
async function expectAway(response: Response, code: string): Promise<void> {
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('1')
  expect(response.headers.getSetCookie()).toEqual([])
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(await response.json()).toMatchObject({ status: 503, code })
}

function requests(client: BearerClient, browser: Browser): Promise<Response>[] {
  return [
    client.send('GET', '/trusted-devices'),
    client.send('PATCH', `/trusted-devices/${client.uid}`, { json: { name: 'x' } }),
    client.send('POST', '/trusted-devices/logout'),
    client.send('POST', '/trusted-devices/revoke-all', { json: {} }),
    client.copy().refreshTokens(),
    new BearerClient(client.devices).login(),
    browser.send('GET', '/trusted-devices'),
    browser.send('POST', '/trusted-devices/logout'),
  ]
}

describe('requests while the database is unavailable', () => {
  describeDatabases(
    (engine) => {
      let house: House
      let proxy: TcpProxy
      let devices: TestDevices
      let client: BearerClient
      let browser: Browser
      let end: () => Promise<void>
      beforeEach(async () => {
        house = await openHouse(engine)
        const url = new URL(house.url)
        proxy = await startTcpProxy(Number(url.port))
        url.port = String(proxy.port)
        if (engine.name === 'postgres') url.search += `&application_name=${NAME}`
        const { kysely, close } = openDatabase(url.href, LIMITS)
        devices = house.reopenWith({ database: kysely, logger: { warn() {}, error() {} } })
        client = new BearerClient(devices)
        await client.login()
        browser = new Browser(devices)
        await browser.login()
        await isHealthy()
        end = async () => {
          proxy.cut()
          await devices.close()
          await close()
          await proxy.close()
          await house.close()
        }
      })
      afterEach(() => end())

      const isHealthy = async (): Promise<void> => {
        expect((await client.send('GET', '/trusted-devices')).status).toBe(200)
        expect(await browser.visit()).not.toBeNull()
      }
      const isAway = async (): Promise<void> => {
        await expect(devices.authenticate(browser.context('/'))).rejects.toMatchObject({
          code: 'database_unavailable',
          status: 503,
        })
      }

      it('get 503 with Retry-After while connections are refused, then succeed', async () => {
        proxy.refuse()
        proxy.cut()
        await isAway()
        for (const request of requests(client, browser))
          await expectAway(await request, 'database_unavailable')
        proxy.accept()
        await isHealthy()
        expect((await client.refreshTokens()).status).toBe(200)
        expect(house.signals.names()).toEqual(['device_created', 'device_created'])
      })

      it('get 503 within the time limits while connections hang, then succeed', async () => {
        proxy.freeze()
        await isAway()
        const many = Array.from({ length: 4 }, () => requests(client, browser)).flat()
        for (const request of many) await expectAway(await request, 'database_unavailable')
        proxy.thaw()
        await vi.waitFor(isHealthy, SOON)
        // The pool may still contain connections that have ended.
        await vi.waitFor(
          async () => expect((await devices.registry.list('1')).devices).toHaveLength(2),
          SOON,
        )
      })

      it('succeed again after the server has closed all connections', async () => {
        const statement =
          engine.name === 'postgres'
            ? `SELECT pid AS id FROM pg_stat_activity WHERE application_name = '${NAME}'`
            : 'SELECT id FROM information_schema.processlist WHERE db = database() AND id <> connection_id()'
        const connections = await house.sql.query(statement)
        expect(connections).not.toEqual([])
        for (const { id } of connections) {
          if (engine.name === 'postgres')
            await house.sql.query('SELECT pg_terminate_backend($1)', [id])
          else await house.sql.execute(`KILL CONNECTION ${Number(id)}`)
        }
        house.clock.advance(5000)
        await vi.waitFor(isHealthy, SOON)
      })

      it('get 503 until the database is available for the first time', async () => {
        proxy.refuse()
        proxy.cut()
        const url = new URL(house.url)
        url.port = String(proxy.port)
        const late = house.reopenWith({ database: url.href })
        const request = (): Promise<Response> => new BearerClient(late).login()
        await expectAway(await request(), 'database_unavailable')
        proxy.accept()
        expect((await request()).status).toBe(200)
      })
    },
    ['postgres', 'mariadb'],
  )

  it('succeed for signed-in devices, and get 503 for changes, while another process locks SQLite', async () => {
    const house = await openHouse(sqliteEngine())
    const { kysely, close } = openDatabase(house.url, LIMITS)
    const devices = house.reopenWith({ database: kysely, logger: { warn() {}, error() {} } })
    const client = new BearerClient(devices)
    await client.login()
    // Further requests in the next minute write nothing.
    await client.send('GET', '/trusted-devices')
    const other = openDatabase(house.url)
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { promise: taken, resolve: take } = Promise.withResolvers<void>()
    const holding = other.transaction(async () => {
      take()
      await held
    })
    await taken
    house.clock.advance(5000)
    expect((await client.send('GET', '/trusted-devices')).status).toBe(200)
    for (const path of ['/trusted-devices/logout', '/trusted-devices/revoke-all']) {
      await expectAway(await client.send('POST', path, { json: {} }), 'database_busy')
    }
    await expectAway(await new BearerClient(devices).login(), 'database_busy')
    release()
    await holding
    expect((await client.send('POST', '/trusted-devices/logout')).status).toBe(204)
    await other.close()
    await devices.close()
    await close()
    await house.close()
  })
})
