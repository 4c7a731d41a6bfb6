import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BearerClient, Browser, problemOf } from '../support/client.ts'
import type { TestDevices } from '../support/create-devices.ts'
import { type House, openHouse, SECRET } from '../support/house.ts'

const DAY = 86_400_000
const NEXT = 'another secret of at least thirty-two bytes'

describeDatabases((engine) => {
  let house: House
  beforeEach(async () => {
    house = await openHouse(engine)
  })
  afterEach(() => house.close())

  const node = (...secret: string[]): TestDevices => house.reopenWith({ secret })

  describe('a secret that is replaced', () => {
    it('signs no one out while the nodes switch step by step', async () => {
      const client = new BearerClient(house.devices)
      const browser = new Browser(house.devices)
      await client.login()
      await browser.login()
      const { uid } = client
      const steps = [
        [node(SECRET), node(SECRET, NEXT)],
        [node(SECRET, NEXT), node(NEXT, SECRET)],
        [node(NEXT, SECRET), node(NEXT, SECRET)],
      ]
      for (const nodes of steps) {
        // Each node accepts the session cookie, the access token, the refresh token and the device
        // credential of another node.
        for (const devices of [...nodes, ...nodes]) {
          for (const each of [client, browser]) Object.assign(each, { devices })
          expect((await client.send('GET', '/trusted-devices')).status).toBe(200)
          expect((await client.refreshTokens()).status).toBe(200)
          expect((await client.send('GET', '/trusted-devices')).status).toBe(200)
          house.clock.advance(2 * DAY)
          expect((await client.refreshTokens()).status).toBe(200)
          // This visit renews the cookie with the new key.
          expect(await browser.visit()).not.toBeNull()
          expect(await browser.visit()).not.toBeNull()
          expect(await browser.login()).toMatchObject({ returning: true })
          expect((await client.login()).status).toBe(200)
          expect(client.uid).toBe(uid)
        }
      }
      const last = node(NEXT)
      for (const each of [client, browser]) Object.assign(each, { devices: last })
      expect(await browser.visit()).not.toBeNull()
      expect((await client.refreshTokens()).status).toBe(200)
      expect((await client.send('GET', '/trusted-devices')).status).toBe(200)
      expect(house.signals.names()).toEqual(['device_created', 'device_created'])
    })

    it('ends sessions that only the old one signed, without an alarm', async () => {
      const client = new BearerClient(house.devices)
      const browser = new Browser(house.devices)
      await client.login()
      await browser.login()
      house.signals.take()
      const next = node(NEXT)
      for (const each of [client, browser]) Object.assign(each, { devices: next })
      expect(await problemOf(await client.send('GET', '/trusted-devices'))).toBe(
        '401 authentication_required',
      )
      expect(await problemOf(await client.refreshTokens())).toBe('401 token_invalid')
      expect(await browser.visit()).toBeNull()
      expect(house.signals.events).toEqual([])
      // The credential is unknown, so the client gets a new device.
      expect((await client.login()).status).toBe(200)
      expect(house.signals.names()).toEqual(['device_created'])
    })
  })
})
