import { sqliteEngine } from '@quillgate/server/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BearerClient } from '../../trusted-devices/test/support/client.ts'
import { openHouse, sendAlerts } from './house.ts'
import { createMailbox } from './mailbox.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

type Step =
  | { readonly kind: 'login'; readonly node: number; readonly away: boolean }
  | { readonly kind: 'wait'; readonly minutes: number }
  | { readonly kind: 'look'; readonly node: number }
  | { readonly kind: 'break'; readonly mails: number }
  | { readonly kind: 'killed' }

const node = fc.nat(1)
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant('login' as const), node, away: fc.boolean() }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('wait' as const),
        minutes: fc.integer({ min: 1, max: 50 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('look' as const), node }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('break' as const),
        mails: fc.integer({ min: 1, max: 3 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('killed' as const) }) },
  ),
  { maxLength: 30 },
)

it('for all sequences, the limit per hour holds and every sign-in is reported once', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 3 }), async (plan, mailsPerHour) => {
      const sentAt: number[] = []
      let reportedSignIns = 0
      const box = createMailbox({
        hasHistory: true,
        mailsPerHour,
        send: ({ subject }) => {
          if (box.failing > 0) {
            box.failing--
            throw new Error('the mail server is away')
          }
          const more = /\(and (one|\d+) more\)$/.exec(subject)?.[1] ?? '0'
          reportedSignIns += 1 + (more === 'one' ? 1 : Number(more))
          sentAt.push(house.clock())
        },
      })
      const logger = { warn: () => {}, error: () => {} }
      const house = await openHouse(sqliteEngine(), {}, { alerts: box.options, logger })
      const nodes = [house.devices, house.reopen()]
      let logins = 0
      for (const step of plan) {
        if (step.kind === 'login') {
          logins++
          const address = step.away ? '198.51.100.7' : '203.0.113.10'
          await new BearerClient(
            nodes[step.node] ?? house.devices,
            address,
            `app-${logins}/1.0`,
          ).login()
        }
        if (step.kind === 'wait') house.clock.advance(step.minutes * MINUTE)
        if (step.kind === 'break') box.failing = step.mails
        if (step.kind === 'look') await sendAlerts(nodes[step.node])
        // Simulates a process that crashed before it sent the mail.
        if (step.kind === 'killed') {
          for (const each of nodes) await sendAlerts(each)
          await house.sql.execute(
            `UPDATE quillgate_login_alert SET mailed_at = ${house.clock()} 
              WHERE event_id IN (SELECT id FROM quillgate_login_alert_job WHERE state = 'pending')`,
          )
          await house.sql.execute(
            `UPDATE quillgate_login_alert_job SET attempts = attempts + 1,
              next_attempt_at = ${house.clock() + 10 * MINUTE} WHERE state = 'pending'`,
          )
        }
        // Sends all mails before the clock advances.
        for (const each of nodes) await sendAlerts(each)
      }
      box.failing = 0
      for (let hour = 0; hour < 8; hour++) {
        house.clock.advance(HOUR + 1000)
        await sendAlerts(house.devices)
      }
      expect(reportedSignIns).toBe(logins)
      for (const at of sentAt) {
        expect(
          sentAt.filter((other) => other > at - HOUR && other <= at).length,
        ).toBeLessThanOrEqual(mailsPerHour)
      }
      await house.close()
    }),
    { numRuns: 40 },
  )
})
