import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describeDatabases } from '@quillgate/server/testing/suites'
import type { WebhookOptions } from '@quillgate/trusted-devices'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BearerClient } from '../support/client.ts'
import { createDevices, type TestDevices } from '../support/create-devices.ts'
import { type House, openHouse, SECRET } from '../support/house.ts'

const KEY = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const NEXT_KEY = `whsec_${Buffer.alloc(24, 9).toString('base64')}`
const SETTINGS = { outbox: true, outboxInterval: null, webhookTimeout: 2 } as const

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

let server: Server
let url: string
let received: Received[]
let answer: (response: ServerResponse) => void
beforeEach(async () => {
  received = []
  answer = (response) => response.writeHead(204).end()
  server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) })
    answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const verify = ({ headers, body }: Received, key = KEY): unknown =>
  new Webhook(key).verify(body, headers as Record<string, string>)

describe('webhooks', () => {
  describeDatabases((engine) => {
    let house: House
    let devices: TestDevices
    beforeEach(async () => {
      house = await openHouse(engine, SETTINGS)
      // The reference implementation uses the real time.
      house.clock.set(Date.now())
    })
    afterEach(() => house.close())
    const open = async (webhook: Partial<WebhookOptions> = {}, settings = {}): Promise<void> => {
      devices = house.reopenWith({
        webhooks: [{ url, secret: KEY, ...webhook }],
        settings: { ...house.settings, ...settings },
      })
      await devices.ready()
    }
    const entries = async () =>
      (await house.devices.outbox.list()).entries.filter(({ destination }) =>
        destination.startsWith('webhook:'),
      )
    const until = (state: string, count = 1) =>
      expect
        .poll(async () => (await entries()).filter((entry) => entry.state === state).length)
        .toBe(count)

    it('get each event in order, signed as the specification says', async () => {
      await open()
      const home = new BearerClient(devices)
      await home.login()
      const abroad = new BearerClient(devices, '192.0.2.44')
      await abroad.login()
      await abroad.send('POST', '/trusted-devices/logout')
      await until('delivered', 4)
      const at = new Date(house.clock()).toISOString()
      const bodies = received.map((each) => verify(each))
      expect(bodies).toMatchObject([
        { type: 'device_created', data: { device_uid: home.uid } },
        {
          type: 'device_created',
          timestamp: at,
          data: {
            ...{
              user_id: '1',
              device_uid: abroad.uid,
              reason: 'login',
              actor: abroad.uid,
              returning: false,
            },
            device: { uid: abroad.uid, country: 'JP', created_at: at },
          },
        },
        { type: 'suspicious_login', data: { reason: 'new_country', previous_countries: ['DE'] } },
        {
          type: 'device_revoked',
          data: { device_uid: abroad.uid, reason: 'logout', actor: abroad.uid },
        },
      ])
      for (const [index, { headers, body }] of received.entries()) {
        expect(headers['content-type']).toBe('application/json')
        expect(headers['webhook-id']).toBe(
          (bodies[index] as { data: { event_id: string } }).data.event_id,
        )
        expect(body).not.toContain('is_current')
      }
      expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(
        house.signals.events.map(({ eventId }) => eventId),
      )
    })

    it('never get the id of an application’s own session, which receivers need', async () => {
      await open()
      const sessionIds: (string | null)[] = []
      devices.signals.deviceRevoked.connect(({ sessionId }) => sessionIds.push(sessionId))
      const context = { request: new Request('http://localhost/login') }
      await devices.login({ id: '1' }, context, {
        transport: 'cookie',
        sessionId: 'secret-of-the-session',
      })
      await devices.registry.revokeAll('1')
      await until('delivered', 2)
      expect(sessionIds).toEqual(['secret-of-the-session'])
      for (const { body } of received) expect(body).not.toContain('secret-of-the-session')
    })

    it('are signed with each secret while one replaces another', async () => {
      await open({ secret: [NEXT_KEY, KEY] })
      await new BearerClient(devices).login()
      await until('delivered')
      const [first] = received
      if (!first) throw new Error('Nothing arrived.')
      expect(verify(first, KEY)).toEqual(verify(first, NEXT_KEY))
      expect(() => verify(first, `whsec_${Buffer.alloc(32, 8).toString('base64')}`)).toThrow(
        'No matching signature',
      )
      expect(() => verify({ ...first, body: `${first.body} ` })).toThrow('No matching signature')
    })

    it('get only the events that they want', async () => {
      await open({ events: ['device_revoked'] })
      await new BearerClient(devices).login()
      await devices.registry.revokeAll('1')
      await until('delivered')
      expect(received).toHaveLength(1)
      expect(await entries()).toMatchObject([{ signal: 'device_revoked' }])
    })

    it('are tried again with the same id and body, signed anew, and apart from the receivers', async () => {
      answer = (response) => response.writeHead(500).end('x'.repeat(100_000))
      await open()
      await new BearerClient(devices).login()
      await until('pending')
      await expect
        .poll(async () => (await entries())[0]?.lastError)
        .toBe('The webhook answered 500.')
      expect(house.signals.names()).toEqual(['device_created'])
      answer = (response) => response.writeHead(200).end('fine')
      house.clock.advance(5000)
      expect(await devices.outbox.deliver()).toEqual({ delivered: 1, retrying: 0, dead: 0 })
      const [first, second] = received
      expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
      expect(second?.body).toBe(first?.body)
      expect(second?.headers['webhook-timestamp']).not.toBe(first?.headers['webhook-timestamp'])
      if (second) expect(verify(second)).toMatchObject({ type: 'device_created' })
      expect(house.signals.names()).toEqual(['device_created'])
    })

    it.each([
      [429, '120'],
      [503, 'date'],
    ])('that answer %i are left alone as long as they say', async (status, retryAfter) => {
      const value =
        retryAfter === 'date' ? new Date(house.clock() + 121_000).toUTCString() : retryAfter
      answer = (response) => response.writeHead(status, { 'retry-after': value }).end()
      await open()
      await new BearerClient(devices).login()
      await expect.poll(async () => (await entries())[0]?.lastError).toMatch(String(status))
      house.clock.advance(118_000)
      expect(await devices.outbox.deliver()).toEqual({ delivered: 0, retrying: 0, dead: 0 })
      answer = (response) => response.writeHead(202).end()
      house.clock.advance(4000)
      expect(await devices.outbox.deliver()).toEqual({ delivered: 1, retrying: 0, dead: 0 })
    })

    it('that answer 410 get it no more', async () => {
      answer = (response) => response.writeHead(410).end()
      await open()
      await new BearerClient(devices).login()
      await until('dead')
      house.clock.advance(86_400_000)
      await devices.outbox.deliver()
      expect(received).toHaveLength(1)
    })

    it('that redirect are not followed', async () => {
      answer = (response) => response.writeHead(307, { location: '/elsewhere' }).end()
      await open()
      await new BearerClient(devices).login()
      await expect
        .poll(async () => (await entries())[0]?.lastError)
        .toMatch('redirects are not followed')
      expect(received).toHaveLength(1)
    })

    it('that hang, never end or break off hold nobody, and are tried again', async () => {
      await open({}, { webhookTimeout: 0.5 })
      const answers: ((response: ServerResponse) => void)[] = [
        () => {},
        (response) => void response.writeHead(500).write('x'),
        (response) => void response.destroy(),
      ]
      for (const each of answers) {
        answer = each
        const client = new BearerClient(devices)
        expect((await client.login()).status).toBe(200)
        await expect.poll(async () => (await entries()).at(-1)?.lastError).not.toBeNull()
        answer = (response) => response.writeHead(204).end()
        house.clock.advance(3_600_000)
        expect(await devices.outbox.deliver()).toEqual({ delivered: 1, retrying: 0, dead: 0 })
      }
    })

    it('that are gone from the configuration leave nothing pending for ever', async () => {
      answer = (response) => response.writeHead(500).end()
      await open({}, { outboxRetention: 86_400 })
      await new BearerClient(devices).login()
      await expect.poll(async () => (await entries())[0]?.lastError).not.toBeNull()
      const without = house.reopen({ outboxRetention: 86_400 })
      house.clock.advance(2 * 86_400_000)
      await without.outbox.deliver()
      expect(await entries()).toMatchObject([
        {
          destination: `webhook:${new URL(url).host}`,
          state: 'dead',
        },
      ])
    })
  })
})

describe('the option webhooks', () => {
  const check =
    (webhooks: unknown, outbox = true) =>
    () =>
      createDevices({
        secret: SECRET,
        database: 'sqlite::memory:',
        users: { findById: () => null },
        webhooks: webhooks as readonly WebhookOptions[],
        settings: { outbox },
      })
  const good = { url: 'https://example.com/hook', secret: KEY }

  it('needs the outbox', () => {
    expect(check([good])).not.toThrow()
    expect(check([good], false)).toThrow(/webhooks.*outbox: true/)
    expect(check([], false)).not.toThrow()
  })

  it.each<[string, unknown, RegExp]>([
    ['no list', good, /webhooks/],
    ['no object', ['https://example.com'], /webhooks\[0\]/],
    ['http', [{ ...good, url: 'http://example.com/' }], /webhooks\[0\]\.url/],
    [
      'a name of this machine',
      [{ ...good, url: 'http://localhost.example.com/' }],
      /webhooks\[0\]\.url/,
    ],
    ['another scheme', [{ ...good, url: 'file:///etc/passwd' }], /webhooks\[0\]\.url/],
    ['a password', [{ ...good, url: 'https://a:b@example.com/' }], /webhooks\[0\]\.url/],
    ['no secret', [{ url: good.url }], /webhooks\[0\]\.secret/],
    ['an empty list of secrets', [{ ...good, secret: [] }], /webhooks\[0\]\.secret/],
    ['a short secret', [{ ...good, secret: 'whsec_c2hvcnQ=' }], /webhooks\[0\]\.secret/],
    ['a secret without prefix', [{ ...good, secret: KEY.slice(6) }], /webhooks\[0\]\.secret/],
    [
      'an unknown event',
      [{ ...good, events: ['device_revoked', 'device.created'] }],
      /webhooks\[0\]\.events\[1\] must be "device_created".*got "device\.created"/,
    ],
    ['an unknown member', [{ ...good, retries: 3 }], /webhooks\[0\]\.retries/],
    [
      'a misspelt one',
      [{ ...good, event: [] }],
      /webhooks\[0\]\.event is not an option\. Perhaps events is meant/,
    ],
    ['a bad name', [{ ...good, name: 'Audit log' }], /webhooks\[0\]\.name/],
    ['two on one host', [good, { ...good, url: `${good.url}/2` }], /webhooks\[1\]\.name/],
  ])('refuses %s', (_, webhooks, message) => {
    expect(check(webhooks)).toThrow(message)
    expect(check(webhooks)).not.toThrow(/BwcHBw|c2hvcnQ|a:b/) // No secret is quoted.
  })

  it('takes http on this machine', () => {
    for (const host of ['localhost:3000', '127.0.0.1', '[::1]:8080']) {
      expect(check([{ ...good, url: `http://${host}/` }])).not.toThrow()
    }
  })
})
