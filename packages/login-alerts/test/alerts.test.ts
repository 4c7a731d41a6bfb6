import type {} from '@quillgate/login-alerts'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { deviceCreated } from '@quillgate/trusted-devices/signals'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient } from '../../trusted-devices/test/support/client.ts'
import { type House, openHouse, sendAlerts, type TestAlertOptions } from './house.ts'
import { createMailbox, type Mailbox } from './mailbox.ts'

const PARIS = '198.51.100.7'
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36'

describeDatabases((engine) => {
  let house: House
  let box: Mailbox
  afterEach(() => house.close())

  const open = async (more: Partial<TestAlertOptions> = {}, settings = {}): Promise<void> => {
    box = createMailbox(more)
    house = await openHouse(engine, settings, { alerts: box.options })
  }
  const login = async (address?: string, userAgent?: string): Promise<BearerClient> => {
    const client = new BearerClient(house.devices, address, userAgent)
    await client.login()
    return client
  }
  const mails = async () => {
    await sendAlerts(house.devices)
    return box.take()
  }

  describe('alerts', () => {
    it('sends no mail for the first device, and a mail for the second', async () => {
      await open()
      await login()
      expect(await mails()).toEqual([])
      await login('203.0.113.20', CHROME)
      const [mail, ...others] = await mails()
      expect(others).toEqual([])
      expect(mail).toMatchObject({
        to: 'user-1@example.com',
        subject: 'New sign-in to Harbour: Chrome 131 on Windows',
        kind: 'new_device',
        userId: '1',
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
      expect(mail?.text).toContain('Place: Munich, Germany')
      expect(mail?.text).toMatch(/Time: \w+ \d+, \d{4} at .* UTC/)
    })

    it('sends a mail for a device that signed out and lost its cookies, even if it was the first one', async () => {
      await open()
      const first = await login()
      await first.send('POST', '/trusted-devices/logout')
      await login()
      expect(await mails()).toHaveLength(1)
    })

    it('sends one mail for two signals of a login, with the country in the subject', async () => {
      await open()
      await login()
      await login(PARIS, CHROME)
      const [mail, ...others] = await mails()
      expect(others).toEqual([])
      expect(house.signals.names()).toEqual([
        'device_created',
        'device_created',
        'suspicious_login',
      ])
      expect(mail?.kind).toBe('new_country')
      expect(mail?.subject).toBe('Sign-in to Harbour from a new country: France')
      expect(mail?.text).toContain('Until now your devices were in: Germany.')
    })

    it('sends no mail for a returning or a known browser', async () => {
      await open()
      await login()
      const client = await login('203.0.113.20', CHROME)
      expect(await mails()).toHaveLength(1)
      await client.login()
      await client.send('POST', '/trusted-devices/logout')
      await client.login()
      expect(house.signals.events.at(-1)).toMatchObject({
        signal: 'device_created',
        returning: true,
      })
      expect(await mails()).toEqual([])
    })

    it('sends no mail for a session that existed before the installation', async () => {
      box = createMailbox({ hasHistory: true })
      const session = () => ({ userId: '1', sessionId: 'old', deviceUid: null })
      house = await openHouse(engine, {}, { session, alerts: box.options })
      const sent = { request: new Request('http://localhost/') }
      await house.devices.adopt({ id: '1' }, sent, { sessionId: 'old' })
      expect(house.signals.names()).toEqual(['device_created'])
      expect(await mails()).toEqual([])
    })

    it('sends a mail if a refresh token was used twice', async () => {
      await open()
      const owner = await login()
      const thief = owner.copy()
      await owner.refreshTokens()
      await owner.send('GET', '/trusted-devices')
      house.clock.advance(60_000)
      expect((await thief.refreshTokens()).status).toBe(401)
      const [mail, ...others] = await mails()
      expect(others).toEqual([])
      expect(mail?.kind).toBe('compromised')
      expect(mail?.text).toContain('We have signed the device out.')
      expect(mail?.text).not.toContain('If this was you')
    })

    it('sends no mail to a user without an address, or about a deleted user', async () => {
      await open({ to: () => null, hasHistory: true })
      await login()
      expect(await mails()).toEqual([])
      expect((await house.devices.users.export('1')).data['login_alerts']).toMatchObject([
        { mailed_at: null },
      ])
      await house.close()
      await open({ hasHistory: true })
      await login()
      house.users.delete('1')
      // The mail may have been sent before the deletion.
      expect((await mails()).length).toBeLessThanOrEqual(1)
    })

    it('sends one mail for an event that is delivered twice', async () => {
      await open({ hasHistory: true })
      const stop = deviceCreated.connect(async (event) => {
        const own = house.devices.signals.deviceCreated.connections()
        for (let time = 0; time < 3; time++)
          await Promise.all(own.map(({ receiver }) => receiver(event)))
      })
      await login()
      stop()
      expect(await mails()).toHaveLength(1)
      expect(await mails()).toEqual([])
    })

    it('works with the outbox', async () => {
      await open({}, { outbox: true })
      await login()
      await login(PARIS, CHROME)
      await house.devices.outbox.deliver()
      expect((await mails()).map(({ kind }) => kind)).toEqual(['new_country'])
    })

    it('does not delay or fail a login because of the mail', async () => {
      const { promise: away, resolve: arrive } = Promise.withResolvers<void>()
      let isAsked = false
      const send = (): Promise<void> => {
        isAsked = true
        return away
      }
      await open({ hasHistory: true, send }, { receiverTimeout: 3600 })
      // If the login waited for the mail, it would take an hour.
      expect((await login()).uid).not.toBe('')
      await expect.poll(() => isAsked, { timeout: 10_000 }).toBe(true)
      arrive()
    })

    it('erases and exports the data of a user', async () => {
      await open({ hasHistory: true })
      await login()
      await mails()
      const { data } = await house.devices.users.export('1')
      expect(data['login_alerts']).toMatchObject([
        { kind: 'new_device', city: 'Berlin', country: 'DE', mailed_at: expect.any(String) },
      ])
      await house.devices.users.deleted('1')
      expect(await house.sql.query('SELECT * FROM quillgate_login_alert')).toEqual([])
      await login() // After the deletion, the user counts as new.
      await login()
      expect(await mails()).toHaveLength(1)
      await house.devices.users.erase('1')
      expect(await house.sql.query('SELECT * FROM quillgate_login_alert')).toEqual([])
    })

    it('writes German and French, with times in the time zone of the user', async () => {
      for (const [locale, subject, time] of [
        [
          'de-AT',
          'Neue Anmeldung bei Harbour: Chrome 131 unter Windows',
          /Zeit: .* um .* MEZ|Zeit: .* MESZ/,
        ],
        [
          'fr',
          'Nouvelle connexion à Harbour : Chrome 131 sous Windows',
          /Date: .* (UTC\+1|UTC\+2|CET|CEST)/,
        ],
      ] as const) {
        await open({ hasHistory: true, locale: () => locale, timeZone: () => 'Europe/Vienna' })
        await login('203.0.113.10', CHROME)
        const [mail] = await mails()
        expect(mail?.subject).toBe(subject)
        expect(mail?.text).toMatch(time)
        expect(mail?.html).toContain(`<html lang="${locale}">`)
        if (locale === 'de-AT') await house.close()
      }
    })
  })
})
