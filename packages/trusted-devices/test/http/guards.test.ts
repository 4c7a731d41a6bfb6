import { problemResponse } from '@quillgate/server/http'
import { sqliteEngine } from '@quillgate/server/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BearerClient, Browser, problemOf } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'

const DAY = 86_400

let house: House
beforeEach(async () => {
  house = await openHouse(sqliteEngine())
})
afterEach(() => house.close())

const codeOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => 'passed',
    (error) => `${error.status} ${error.code}`,
  )

describe('requireTrusted', () => {
  it('rejects requests that are not signed in, and returns user and device', async () => {
    const browser = new Browser(house.devices)
    expect(await codeOf(house.devices.requireTrusted(browser.context('/')))).toBe(
      '401 authentication_required',
    )
    const { device } = await browser.login()
    const passed = await house.devices.requireTrusted(browser.context('/'))
    expect([passed.user.id, passed.device.uid]).toEqual(['1', device.uid])
  })

  it('requires the age of the device', async () => {
    const browser = new Browser(house.devices)
    await browser.login()
    const ask = () => codeOf(house.devices.requireTrusted(browser.context('/'), { minAge: DAY }))
    expect(await ask()).toBe('403 device_session_too_recent')
    house.clock.advance(DAY * 1000 - 1)
    expect(await ask()).toBe('403 device_session_too_recent')
    house.clock.advance(1)
    expect(await ask()).toBe('passed')
    // A browser that signs in again keeps its device. The age of the device does not restart.
    await browser.login()
    expect(await ask()).toBe('passed')
  })

  it('requires a recent password, which reauthenticate renews', async () => {
    const client = new BearerClient(house.devices)
    await client.login()
    const context = () => ({
      request: new Request('http://localhost/', {
        headers: { authorization: `Bearer ${client.access}` },
      }),
    })
    const ask = () => codeOf(house.devices.requireTrusted(context(), { maxProofAge: 60 }))
    expect(await ask()).toBe('passed')
    house.clock.advance(60_001)
    expect(await ask()).toBe('403 step_up_required')
    await client.refreshTokens()
    expect(await ask()).toBe('403 step_up_required')
    expect(
      (await client.send('POST', '/trusted-devices/reauthenticate', { json: { password: 'pw' } }))
        .status,
    ).toBe(204)
    expect(await ask()).toBe('passed')
  })

  it('requires permissions', async () => {
    const browser = new Browser(house.devices)
    const { device } = await browser.login()
    await house.devices.registry.edit('1', device.uid, { canDeleteOthers: false })
    const ask = (...permissions: ('canDeleteOthers' | 'canEditOthers')[]) =>
      codeOf(house.devices.requireTrusted(browser.context('/'), { permissions }))
    expect(await ask('canEditOthers')).toBe('passed')
    expect(await ask('canEditOthers', 'canDeleteOthers')).toBe('403 device_lacks_delete_permission')
    await house.devices.registry.edit('1', device.uid, { canEditOthers: false })
    expect(await ask('canEditOthers')).toBe('403 device_lacks_edit_permission')
  })

  it('reads what another node has written, although the device is cached here', async () => {
    const other = house.reopen()
    const browser = new Browser(house.devices)
    const { device } = await browser.login()
    house.clock.advance(120_000)
    await browser.visit()
    const ask = () => house.devices.requireTrusted(browser.context('/'), { maxProofAge: 60 })
    expect(await codeOf(ask())).toBe('403 step_up_required')
    const elsewhere = browser.copy()
    Object.assign(elsewhere, { devices: other })
    const path = '/trusted-devices/reauthenticate'
    expect((await elsewhere.send('POST', path, { json: { password: 'pw' } })).status).toBe(204)
    expect(await codeOf(ask())).toBe('passed')
    await other.registry.revoke('1', device.uid)
    expect(await browser.visit()).toBeNull()
    expect(await codeOf(ask())).toBe('401 authentication_required')
  })

  it.each([
    { minage: 60 },
    { minAge: -1 },
    { minAge: '60' },
    { maxProofAge: Number.NaN },
    { permissions: 'canDeleteOthers' },
    { permissions: ['delete'] },
  ])('rejects %j, which would let everyone pass', async (requirements) => {
    const browser = new Browser(house.devices)
    await browser.login()
    const asked = house.devices.requireTrusted(browser.context('/'), requirements as object)
    expect(await codeOf(asked)).toBe('500 configuration_error')
  })

  it('guards a route of the application, which returns the problem and renews the cookie', async () => {
    const browser = new Browser(house.devices)
    const ask = async (): Promise<Response> => {
      const sent = { request: browser.request('POST', '/email'), address: browser.address }
      try {
        const { user } = await house.devices.requireTrusted(sent, { maxProofAge: 300 })
        return new Response(`changed by ${user.id}`)
      } catch (error) {
        return problemResponse(error)
      }
    }
    expect(await problemOf(await ask())).toBe('401 authentication_required')
    await browser.login()
    expect(await (await ask()).text()).toBe('changed by 1')
    house.clock.advance(2 * DAY * 1000)
    expect(await problemOf(await ask())).toBe('403 step_up_required')
    await browser.login()
    house.clock.advance(299_000)
    const passed = await ask()
    expect(await passed.text()).toBe('changed by 1')
  })
})

describe('POST /trusted-devices/reauthenticate', () => {
  it('issues a new session token; the old one ends when the new one has arrived and the grace period is over', async () => {
    const browser = new Browser(house.devices)
    await browser.login()
    const before = browser.copy()
    const answer = await browser.send('POST', '/trusted-devices/reauthenticate', {
      json: { password: 'pw' },
    })
    expect(answer.status).toBe(204)
    expect(browser.cookieHeader()).not.toBe(before.cookieHeader())
    expect(await browser.visit()).not.toBeNull()
    house.clock.advance(31_000)
    expect(await before.visit()).toBeNull()
    expect(await browser.visit()).not.toBeNull()
  })
})

describe('maxSessionAge', () => {
  it('ends a session maxSessionAge after the password was entered, even if it is in use', async () => {
    const devices = house.reopen({ maxSessionAge: 3 * DAY })
    const browser = new Browser(devices)
    const client = new BearerClient(devices)
    await browser.login()
    await client.login()
    for (let day = 0; day < 3; day++) {
      expect(await browser.visit()).not.toBeNull()
      expect((await client.refreshTokens()).status).toBe(200)
      house.clock.advance(DAY * 1000)
    }
    expect(await browser.visit()).not.toBeNull()
    house.clock.advance(1)
    expect(await browser.visit()).toBeNull()
    expect(await problemOf(await client.refreshTokens())).toBe('401 token_expired')
    const verified = await client.send('POST', '/trusted-devices/token/verify', {
      json: { token: client.refresh },
    })
    expect(await problemOf(verified)).toBe('401 token_expired')
    expect((await browser.login()).returning).toBe(true)
    expect(await browser.visit()).not.toBeNull()
  })

  it('extends the session after reauthentication, even on a node that caches the device', async () => {
    const devices = house.reopen({ maxSessionAge: 100 })
    const other = house.reopen({ maxSessionAge: 100 })
    const browser = new Browser(devices)
    await browser.login()
    house.clock.advance(98_000)
    expect(await browser.visit()).not.toBeNull()
    const elsewhere = browser.copy()
    Object.assign(elsewhere, { devices: other })
    const path = '/trusted-devices/reauthenticate'
    expect((await elsewhere.send('POST', path, { json: { password: 'pw' } })).status).toBe(204)
    house.clock.advance(4000)
    expect(await browser.visit()).not.toBeNull()
  })
})
