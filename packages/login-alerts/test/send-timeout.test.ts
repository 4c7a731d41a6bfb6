import { sqliteEngine } from '@quillgate/server/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient } from '../../trusted-devices/test/support/client.ts'
import { type House, openHouse, sendAlerts } from './house.ts'
import { createMailbox } from './mailbox.ts'

describe('a mail that takes too long', () => {
  let house: House
  afterEach(() => house.close())

  it.each(['send', 'to'])(
    'is retried later if %s never ends, and does not delay mails to others',
    async (where) => {
      const attempts: string[] = []
      let isStuck = true
      const never = (id: string): Promise<never> | null => {
        attempts.push(id)
        return id === '1' && isStuck ? new Promise<never>(() => {}) : null
      }
      const box = createMailbox({ hasHistory: true, sendTimeout: 1 })
      const warnings: string[] = []
      const warn = (message: string): void => void warnings.push(message)
      const alerts = {
        ...box.options,
        to: ({ id }: { id: unknown }) =>
          (where === 'to' ? never(String(id)) : null) ?? `user-${id}@example.com`,
        send: (mail: (typeof box.mails)[number]) =>
          (where === 'send' ? never(mail.userId) : null) ?? box.mails.push(mail),
      }
      house = await openHouse(sqliteEngine(), {}, { alerts, logger: { warn, error: () => {} } })
      await new BearerClient(house.devices).login('ada')
      await new BearerClient(house.devices).login('grace')
      await sendAlerts(house.devices)
      expect(box.take().map(({ userId }) => userId)).toEqual(['2'])
      expect(warnings).toEqual([
        expect.stringMatching(/A login alert is slow .* has not been sent after 1 s/),
      ])
      isStuck = false
      house.clock.advance(31_000)
      expect(await sendAlerts(house.devices)).toBe(1)
      expect(box.take().map(({ userId }) => userId)).toEqual(['1'])
      expect(attempts).toEqual(expect.arrayContaining(['1', '2']))
    },
  )

  it('is not sent again if it succeeds after its time limit', async () => {
    const gate = Promise.withResolvers<void>()
    const box = createMailbox({ hasHistory: true, sendTimeout: 0.05 })
    let sends = 0
    const send = async (): Promise<void> => {
      sends++
      await gate.promise
    }
    house = await openHouse(
      sqliteEngine(),
      {},
      { alerts: { ...box.options, send }, logger: { warn: () => {}, error: () => {} } },
    )
    const states = async (): Promise<unknown[]> => {
      const rows = await house.sql.query('SELECT state FROM quillgate_login_alert_job')
      return rows.map(({ state }) => state)
    }
    await new BearerClient(house.devices).login('ada')
    await sendAlerts(house.devices)
    expect(await states()).toEqual(['pending'])
    gate.resolve()
    await expect.poll(states).toEqual(['delivered'])
    house.clock.advance(31_000)
    await sendAlerts(house.devices)
    expect(sends).toBe(1)
    const { data } = await house.devices.users.export('1')
    expect(data['login_alerts']).toMatchObject([{ mailed_at: expect.any(String) }])
  })

  it('counts towards the limit for each attempt', async () => {
    let sends = 0
    const box = createMailbox({ hasHistory: true, sendTimeout: 0.01, mailsPerHour: 2 })
    const send = (): Promise<never> => {
      sends++
      return new Promise<never>(() => {})
    }
    house = await openHouse(
      sqliteEngine(),
      {},
      { alerts: { ...box.options, send }, logger: { warn: () => {}, error: () => {} } },
    )
    await new BearerClient(house.devices).login('ada')
    for (let minute = 0; minute < 50; minute += 10) {
      await sendAlerts(house.devices)
      house.clock.advance(600_000)
    }
    expect(sends).toBe(2)
    house.clock.advance(3_600_000)
    await sendAlerts(house.devices)
    expect(sends).toBe(3)
  })

  it('does not delay other mails', async () => {
    const box = createMailbox({ hasHistory: true })
    const waiting = Promise.withResolvers<void>()
    let isAway = true
    const alerts = {
      ...box.options,
      send: async (mail: (typeof box.mails)[number]) => {
        if (isAway) throw new Error('the mail server is away')
        if (mail.userId === '1') await waiting.promise
        // If mails were sent one after the other, the test would not reach this line.
        else waiting.resolve()
        box.mails.push(mail)
      },
    }
    house = await openHouse(
      sqliteEngine(),
      {},
      { alerts, logger: { warn: () => {}, error: () => {} } },
    )
    await new BearerClient(house.devices).login('ada')
    await new BearerClient(house.devices).login('grace')
    await sendAlerts(house.devices)
    isAway = false
    house.clock.advance(31_000)
    expect(await sendAlerts(house.devices)).toBe(2)
    expect(box.take().map(({ userId }) => userId)).toEqual(['2', '1'])
  })
})
