import type { AlertMail, AlertReport } from '@quillgate/login-alerts'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient, type Sending, send } from '../../trusted-devices/test/support/client.ts'
import type { TestSettings } from '../../trusted-devices/test/support/create-devices.ts'
import { type House, openHouse, sendAlerts, type TestAlertOptions } from './house.ts'
import { createMailbox, linkIn, type Mailbox, ORIGIN, tokenIn } from './mailbox.ts'

const DAY = 86_400_000
const ACTION = '/login-alerts'
const STRANGER = 'stranger/1.0'
const PARIS = '198.51.100.7'

describeDatabases((engine) => {
  let house: House
  let box: Mailbox
  let owner: BearerClient
  let stranger: BearerClient
  afterEach(() => house.close())

  /**
   * Signs in the owner on two devices and a stranger on a third device. Returns the mail about the
   * stranger.
   */
  const open = async (
    more: Partial<TestAlertOptions> = {},
    settings: TestSettings = {},
  ): Promise<AlertMail> => {
    box = createMailbox({ pageRate: null, ...more })
    const logger = { warn: () => {}, error: () => {} }
    house = await openHouse(engine, settings, { alerts: box.options, logger })
    owner = new BearerClient(house.devices)
    await owner.login()
    await new BearerClient(house.devices).login()
    await sendAlerts(house.devices)
    box.take()
    stranger = new BearerClient(house.devices, PARIS, STRANGER)
    await stranger.login()
    house.signals.take()
    return nextMail()
  }
  const nextMail = async (): Promise<AlertMail> => {
    await sendAlerts(house.devices)
    const [mail] = box.take()
    if (!mail) throw new Error('There is no mail.')
    return mail
  }
  const uids = async (userId = '1'): Promise<number> =>
    (await house.devices.registry.list(userId)).devices.length
  const get = (path: string, sending: Sending = {}, method = 'GET') =>
    send(house.devices, method, path, sending)
  const post = (form: Record<string, string>, headers: Record<string, string> = {}) =>
    send(house.devices, 'POST', ACTION, {
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'null', ...headers },
      body: new URLSearchParams(form).toString(),
    })
  const report = (mail: AlertMail) => post({ token: tokenIn(mail) })
  const titleOf = async (response: Response): Promise<string> =>
    `${response.status} ${/<h1>(.*)<\/h1>/.exec(await response.text())?.[1]}`

  describe('the link of an alert', () => {
    it('shows a question and changes nothing when it is opened', async () => {
      const mail = await open()
      const before = await house.sql.query('SELECT * FROM quillgate_login_alert ORDER BY event_id')
      for (const [method, headers] of [
        ['GET', {}],
        ['HEAD', {}],
        ['GET', { purpose: 'prefetch', 'sec-purpose': 'prefetch;prerender' }],
        ['GET', { 'user-agent': 'BarracudaCentral' }],
      ] as const) {
        for (const path of [linkIn(mail), `${linkIn(mail)}?was=me`]) {
          const response = await get(path, { headers }, method)
          expect(response.status).toBe(200)
          if (method === 'HEAD') continue
          const html = await response.text()
          expect(html).toContain('stranger 1')
          expect(html).toContain('Paris, France')
          expect(html).toContain('<form method="post" action="/login-alerts">')
          expect(html).not.toMatch(/<script|<img|<link|http-equiv|autofocus|src=/)
        }
      }
      expect(await uids()).toBe(3)
      expect(house.signals.events).toEqual([])
      expect(
        await house.sql.query('SELECT * FROM quillgate_login_alert ORDER BY event_id'),
      ).toEqual(before)
    })

    it('opens a page that sends no referrer, is not cached, cannot be framed, and loads nothing', async () => {
      const mail = await open()
      for (const response of [
        await get(linkIn(mail)),
        await get(`${ACTION}/forged`),
        await report(mail),
      ]) {
        const { headers } = response
        expect(headers.get('cache-control')).toBe('no-store')
        expect(headers.get('referrer-policy')).toBe('no-referrer')
        expect(headers.get('x-robots-tag')).toContain('noindex')
        expect(headers.get('x-frame-options')).toBe('DENY')
        expect(headers.get('x-content-type-options')).toBe('nosniff')
        expect(headers.get('content-security-policy')).toMatch(
          /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
        )
        expect(headers.getSetCookie()).toEqual([])
      }
    })

    it('"this wasn’t me" revokes every device of the user with a reason, and calls onReported', async () => {
      const reports: AlertReport[] = []
      const mail = await open({ onReported: (sent) => void reports.push(sent) })
      await new BearerClient(house.devices).login('grace')
      house.signals.take()
      const response = await report(mail)
      const html = await response.text()
      expect(response.status).toBe(200)
      expect(html).toContain('3 devices were signed out.')
      expect(await uids()).toBe(0)
      expect(await uids('2')).toBe(1)
      expect(
        house.signals.events.map((event) => [event.signal, event.reason, event.actor]),
      ).toEqual(Array.from({ length: 3 }, () => ['device_revoked', 'reported', null]))
      expect(reports).toMatchObject([
        { user: { id: '1' }, deviceUid: stranger.uid, eventId: mail.eventId, revoked: 3 },
      ])
      expect((await stranger.send('GET', '/trusted-devices')).status).toBe(401)
      // The reported browser is not recognized at its next login.
      await stranger.login()
      expect(house.signals.events.at(-1)).toMatchObject({
        signal: 'device_created',
        returning: false,
      })
    })

    it('works once, and does nothing in concurrent and later requests', async () => {
      const reports: AlertReport[] = []
      const mail = await open({ onReported: (sent) => void reports.push(sent) })
      const titles = await Promise.all(
        Array.from({ length: 5 }, async () => titleOf(await report(mail))),
      )
      expect(titles).toEqual(titles.map(() => '200 Signed out'))
      expect(reports).toHaveLength(1)
      expect(house.signals.events).toHaveLength(3)
      await owner.login()
      const again = await report(mail)
      expect(await again.text()).toContain('You have reported this before.')
      expect(await (await get(linkIn(mail))).text()).toContain('You have reported this before.')
      expect(await uids()).toBe(1)
      expect(reports).toHaveLength(1)
    })

    it('works if the device is already revoked', async () => {
      const mail = await open()
      await house.devices.registry.revokeAll('1')
      house.signals.take()
      expect(await titleOf(await get(linkIn(mail)))).toBe('200 Was this you?')
      const response = await report(mail)
      expect(await response.text()).toContain('0 devices were signed out.')
      expect(house.signals.events).toEqual([])
    })

    it('is not valid after the alert was erased', async () => {
      const mail = await open()
      await house.sql.execute('DELETE FROM quillgate_login_alert')
      expect(await titleOf(await get(linkIn(mail)))).toBe('404 This link is not valid')
      expect(await titleOf(await report(mail))).toBe('404 This link is not valid')
      expect(await uids()).toBe(3)
    })

    it('revokes the device even if it signed out and in again', async () => {
      const mail = await open()
      await stranger.send('POST', '/trusted-devices/logout')
      await stranger.login()
      await report(mail)
      expect(await uids()).toBe(0)
      house.signals.take()
      await owner.login()
      await stranger.login()
      expect(house.signals.events.at(-2)).toMatchObject({
        signal: 'device_created',
        returning: false,
      })
      expect(house.signals.names().at(-1)).toBe('suspicious_login')
    })

    it('calls a failed onReported again if the user repeats the answer', async () => {
      let fails = true
      const reports: AlertReport[] = []
      const mail = await open({
        onReported: async (sent) => {
          if (fails) throw new Error('the accounts are away')
          reports.push(sent)
        },
      })
      expect(await titleOf(await report(mail))).toBe('500 That did not work')
      expect(await uids()).toBe(0)
      fails = false
      expect(await titleOf(await report(mail))).toBe('200 Signed out')
      expect(reports).toHaveLength(1)
    })

    it('expires for the page and for the form', async () => {
      const mail = await open({ linkLifetime: DAY })
      house.clock.advance(DAY + 1000)
      for (const response of [await get(linkIn(mail)), await report(mail)]) {
        expect(await titleOf(response)).toBe('410 This link has expired')
      }
      expect(await uids()).toBe(3)
    })

    it('rejects forged, changed, shortened and foreign tokens', async () => {
      const mail = await open()
      const token = tokenIn(mail)
      const bytes = Buffer.from(token, 'base64url')
      const forged = Array.from({ length: bytes.length }, (_, index) => {
        const changed = Buffer.from(bytes)
        changed[index] = (changed[index] ?? 0) ^ 1
        return changed.toString('base64url')
      })
      const others = [
        '',
        'x',
        token.slice(0, -1),
        `${token}AAAA`,
        'A'.repeat(64),
        'A'.repeat(4000),
        '%00',
        `${token}%0A`,
      ]
      for (const text of [...forged, ...others]) {
        const response = await post({ token: text })
        expect(await titleOf(response)).toBe('404 This link is not valid')
      }
      expect((await get(`${ACTION}/${forged[3]}`)).status).toBe(404)
      const stolen = house.reopenWith({ secret: 'another secret of thirty-two bytes or more' })
      expect((await stolen.fetch(new Request(`${ORIGIN}${linkIn(mail)}`))).status).toBe(404)
      expect(await uids()).toBe(3)
    })

    it('works after the secret changed, as long as the old secret is still configured', async () => {
      const mail = await open()
      const rotated = house.reopenWith({
        secret: ['the new secret of at least 32 bytes', house.secret],
      })
      expect((await rotated.fetch(new Request(`${ORIGIN}${linkIn(mail)}`))).status).toBe(200)
    })

    it('has an effect only through the form with the token', async () => {
      const mail = await open()
      const token = tokenIn(mail)
      const json = { 'content-type': 'application/json' }
      const attempts: [Response, number][] = [
        [await send(house.devices, 'POST', linkIn(mail)), 405],
        [await send(house.devices, 'POST', `${ACTION}?token=${token}`), 415],
        [
          await send(house.devices, 'POST', ACTION, {
            headers: json,
            body: JSON.stringify({ token }),
          }),
          415,
        ],
        [await send(house.devices, 'DELETE', linkIn(mail)), 405],
        [await post({ other: token }), 404],
        [await post({ token, more: 'x'.repeat(10_000) }), 413],
      ]
      expect(attempts.map(([response]) => response.status)).toEqual(
        attempts.map(([, status]) => status),
      )
      expect(await uids()).toBe(3)
    })

    it('opens a form that other sites cannot submit', async () => {
      const mail = await open()
      const form = { token: tokenIn(mail) }
      for (const headers of [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site', origin: ORIGIN },
        { origin: 'https://evil.example' },
      ]) {
        expect((await post(form, headers)).status).toBe(403)
      }
      expect(await uids()).toBe(3)
      expect((await post(form, { origin: 'null', 'sec-fetch-site': 'same-origin' })).status).toBe(
        200,
      )
    })

    it('limits the requests of an address, and shows a page about the limit', async () => {
      const mail = await open({ pageRate: '3/minute' })
      const titles: string[] = []
      for (let count = 0; count < 4; count++) {
        titles.push(await titleOf(await get(linkIn(mail), { address: '203.0.113.99' })))
      }
      expect(titles).toEqual([
        ...Array.from({ length: 3 }, () => '200 Was this you?'),
        '429 That did not work',
      ])
      const limited = await get(linkIn(mail), { address: '203.0.113.99' })
      expect(limited.headers.get('retry-after')).toMatch(/^\d+$/)
      expect((await get(linkIn(mail), { address: '203.0.113.98' })).status).toBe(200)
    })

    it('is not valid after its user was deleted', async () => {
      const mail = await open()
      house.users.delete('1')
      await house.devices.users.deleted('1')
      for (const response of [await get(linkIn(mail)), await report(mail)]) {
        expect(await titleOf(response)).toBe('404 This link is not valid')
      }
    })

    it('never uses the host of a request', async () => {
      const mail = await open()
      expect(mail.text).toContain(`${ORIGIN}${ACTION}/`)
      expect(mail.html).not.toMatch(/(href|src)="(?!https:\/\/harbour\.example\/)/)
    })
  })
})
