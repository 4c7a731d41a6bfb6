import { sqliteEngine } from '@quillgate/server/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient } from '../../trusted-devices/test/support/client.ts'
import { type House, openHouse, sendAlerts } from './house.ts'
import { createMailbox } from './mailbox.ts'

describe('a mail that never ends', () => {
  let house: House
  afterEach(() => house.close())

  it.each(['send', 'to'])(
    'in %s is tried again later, and keeps nobody else from their mail',
    async (where) => {
      const asked: string[] = []
      let isStuck = true
      const never = (id: string): Promise<never> | null => {
        asked.push(id)
        return id === '1' && isStuck ? new Promise<never>(() => {}) : null
      }
      const box = createMailbox({ firstDevice: true, sendTimeout: 1 })
      const failures: string[] = []
      const error = (message: string, cause: unknown): void =>
        void failures.push(`${message} ${cause}`)
      const alerts = {
        ...box.options,
        to: ({ id }: { id: unknown }) =>
          (where === 'to' ? never(String(id)) : null) ?? `user-${id}@example.com`,
        send: (mail: (typeof box.mails)[number]) =>
          (where === 'send' ? never(mail.userId) : null) ?? box.mails.push(mail),
      }
      house = await openHouse(sqliteEngine(), {}, { alerts, logger: { warn: () => {}, error } })
      await new BearerClient(house.devices).login('ada')
      await new BearerClient(house.devices).login('grace')
      await sendAlerts(house.devices)
      expect(box.take().map(({ userId }) => userId)).toEqual(['2'])
      expect(failures).toEqual([
        expect.stringMatching(/A login alert could not be sent .*longer than 1 s/),
      ])
      isStuck = false
      house.clock.advance(31_000)
      expect(await sendAlerts(house.devices)).toBe(1)
      expect(box.take().map(({ userId }) => userId)).toEqual(['1'])
      expect(asked).toEqual(expect.arrayContaining(['1', '2']))
    },
  )

  it('has the others beside it, not behind it', async () => {
    const box = createMailbox({ firstDevice: true })
    const waiting = Promise.withResolvers<void>()
    let isAway = true
    const alerts = {
      ...box.options,
      send: async (mail: (typeof box.mails)[number]) => {
        if (isAway) throw new Error('the mail server is away')
        if (mail.userId === '1') await waiting.promise
        else waiting.resolve() // One after the other this would never come.
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
