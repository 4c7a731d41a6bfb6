import { describeDatabases } from '@quillgate/server/testing/suites'
import { describe, expect, it } from 'vitest'
import { BearerClient, problemOf } from '../support/client.ts'
import { useCutCommits } from '../support/cut-commits.ts'

describe('a connection that breaks during the commit, with the outbox', () => {
  describeDatabases(
    (engine) => {
      const open = useCutCommits(engine, { outbox: true, outboxInterval: null })

      it('loses no signal: the row says that it was made', async () => {
        const { cutCommit, devices, house, lost } = open()
        const client = new BearerClient(devices)
        await client.login()
        house.signals.take()
        cutCommit()
        expect((await client.send('POST', '/trusted-devices/logout')).status).toBe(204)
        expect(house.signals.events).toMatchObject([
          { signal: 'device_revoked', deviceUid: client.uid },
        ])
        expect(lost).toEqual([])
      })

      it('asks the devices when nobody wants the event, so that a login that was made is answered', async () => {
        const { cutCommit, house, url } = open()
        house.signals.stop()
        const webhook = {
          url: 'http://127.0.0.1:9/',
          secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
        }
        const picky = house.reopenWith({
          database: url,
          webhooks: [{ ...webhook, events: ['device_revoked'] }],
          logger: { warn: () => {}, error: () => {} },
        })
        await picky.ready()
        cutCommit()
        expect((await new BearerClient(picky).login()).status).toBe(200)
        expect((await house.devices.registry.list('1')).devices).toHaveLength(1)
      })

      it('of a database that stays away loses none either: another process tells it', {
        timeout: 30_000,
      }, async () => {
        const { cutCommit, devices, house, lost, proxy } = open()
        const client = new BearerClient(devices)
        await client.login()
        house.signals.take()
        cutCommit()
        const logout = client.send('POST', '/trusted-devices/logout')
        proxy.refuse()
        expect(await problemOf(await logout)).toBe('503 commit_unknown')
        expect(lost.filter((message) => message.includes('signals are missing'))).toEqual([])
        house.clock.advance(3_600_000)
        expect(await house.devices.outbox.deliver()).toEqual({ delivered: 1, retrying: 0, dead: 0 })
        expect(house.signals.events).toMatchObject([
          { signal: 'device_revoked', deviceUid: client.uid },
        ])
      })
    },
    ['postgres', 'mariadb'],
  )
})
