import type { AlertMail } from '@quillgate/login-alerts'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient } from '../../trusted-devices/test/support/client.ts'
import type { TestDevices } from '../../trusted-devices/test/support/create-devices.ts'
import { type House, openHouse, sendAlerts, type TestAlertOptions } from './house.ts'
import { createMailbox, type Mailbox } from './mailbox.ts'

const HOUR = 3_600_000

describeDatabases((engine) => {
  let house: House
  let box: Mailbox
  afterEach(() => house.close())

  const open = async (more: Partial<TestAlertOptions> = {}): Promise<void> => {
    box = createMailbox({ hasHistory: true, mailsPerHour: 3, ...more })
    house = await openHouse(
      engine,
      {},
      { alerts: box.options, logger: { warn: () => {}, error: () => {} } },
    )
  }
  const login = async (
    devices: TestDevices = house.devices,
    agent?: string,
    address?: string,
  ): Promise<void> => {
    const response = await new BearerClient(devices, address, agent).login()
    expect(response.status).toBe(200)
  }
  const mails = async (): Promise<AlertMail[]> => {
    await sendAlerts(house.devices)
    return box.take()
  }
  const reportedSignIns = ({ subject }: AlertMail): number => {
    const more = /\(and (one|\d+) more\)$/.exec(subject)?.[1]
    return 1 + (more === undefined ? 0 : more === 'one' ? 1 : Number(more))
  }
  const sum = (all: readonly AlertMail[]): number =>
    all.reduce((total, mail) => total + reportedSignIns(mail), 0)

  describe('throttled alerts', () => {
    it('sends mails up to the limit per hour, and summarizes the rest in one mail', async () => {
      await open()
      for (let count = 0; count < 7; count++) await login(house.devices, `app-${count}/1.0`)
      const first = await mails()
      expect(first.length).toBeLessThanOrEqual(3)
      house.clock.advance(HOUR - 1000)
      expect(await mails()).toEqual([])
      house.clock.advance(2000)
      const later = await mails()
      expect(later).toHaveLength(1)
      expect(sum([...first, ...later])).toBe(7)
      expect(later[0]?.text).toMatch(/And \d+ more sign-ins:\n- app-/)
      expect(later[0]?.html).toContain('<li')
      house.clock.advance(2 * HOUR)
      expect(await mails()).toEqual([])
    })

    it('keeps the limit across concurrent nodes, and reports every sign-in once', async () => {
      await open()
      const nodes = [house.devices, house.reopen(), house.reopen()]
      await Promise.all(nodes.map((node) => node.ready()))
      await Promise.all(
        Array.from({ length: 12 }, (_, index) => login(nodes[index % 3], `app-${index}/1.0`)),
      )
      await Promise.all(nodes.map((node) => sendAlerts(node)))
      const first = box.take()
      expect(first.length).toBeGreaterThan(0)
      expect(first.length).toBeLessThanOrEqual(3)
      house.clock.advance(HOUR + 1000)
      await Promise.all(nodes.map((node) => sendAlerts(node)))
      const later = box.take()
      expect(later.length).toBeLessThanOrEqual(1)
      expect(sum([...first, ...later])).toBe(12)
      expect(new Set([...first, ...later].map(({ eventId }) => eventId)).size).toBe(
        first.length + later.length,
      )
    })

    it('begins a summary with the most serious alert', async () => {
      await open({ mailsPerHour: 1 })
      await login()
      await mails()
      await login(house.devices, 'app-1/1.0')
      await login(house.devices, 'app-2/1.0', '198.51.100.7')
      await login(house.devices, 'app-3/1.0')
      expect(await mails()).toEqual([])
      house.clock.advance(HOUR + 1000)
      const [summary] = await mails()
      expect(summary?.subject).toBe('Sign-in to Harbour from a new country: France (and 2 more)')
    })

    it('limits each user separately', async () => {
      await open({ mailsPerHour: 1 })
      await login()
      await new BearerClient(house.devices).login('grace')
      expect((await mails()).map(({ userId }) => userId).sort()).toEqual(['1', '2'])
    })

    it('retries a failed mail, which does not count towards the limit', async () => {
      await open({ mailsPerHour: 1 })
      box.failing = 2
      await login()
      expect(await mails()).toEqual([])
      house.clock.advance(31_000)
      expect(await mails()).toEqual([])
      house.clock.advance(61_000)
      expect(await mails()).toHaveLength(1)
      expect(await mails()).toEqual([])
    })

    it('gives up after a day', async () => {
      await open()
      box.failing = 1000
      await login()
      for (let hour = 0; hour < 30; hour++) {
        house.clock.advance(HOUR)
        await sendAlerts(house.devices)
      }
      const tried = 1000 - box.failing
      box.failing = 0
      house.clock.advance(24 * HOUR)
      expect(await mails()).toEqual([])
      expect(tried).toBeGreaterThan(10)
      expect(tried).toBeLessThan(40)
    })

    it('sends the mails of a killed process from another process after its lease', async () => {
      await open()
      await login()
      await mails()
      await house.sql.execute(
        `UPDATE quillgate_login_alert_job SET state = 'pending', next_attempt_at = ${house.clock() + 600_000}`,
      )
      expect(await mails()).toEqual([])
      house.clock.advance(601_000)
      const other = house.reopen()
      await sendAlerts(other)
      expect(box.take()).toHaveLength(1)
    })

    it('sends due mails when a node starts', async () => {
      await open()
      box.failing = 1
      await login()
      await mails()
      house.clock.advance(31_000)
      await house.reopen().ready()
      await expect.poll(() => box.mails.length).toBe(1)
    })

    it('deletes rows after their links have expired', async () => {
      await open()
      await login()
      await mails()
      house.clock.advance(8 * 24 * HOUR)
      await login(house.devices, 'app-2/1.0')
      await mails()
      expect(await house.sql.query('SELECT event_id FROM quillgate_login_alert')).toHaveLength(1)
    })
  })
})
