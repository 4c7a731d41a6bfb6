import { describeDatabases } from '@quillgate/server/testing/suites'
import { describe, expect, it } from 'vitest'
import { BearerClient, problemOf } from '../support/client.ts'
import { useCutCommits } from '../support/cut-commits.ts'

describe('a connection that breaks during a commit, with the outbox', () => {
  describeDatabases(
    (engine) => {
      const open = useCutCommits(engine, { outbox: true, outboxInterval: null })

      it('loses no signal, because the committed row is delivered later', async () => {
        const { cutCommit, devices, house, lost } = open()
        const client = new BearerClient(devices)
        await client.login()
        house.signals.take()
        cutCommit()
        const logout = client.send('POST', '/trusted-devices/logout')
        expect(await problemOf(await logout)).toBe('503 commit_unknown')
        expect(lost.filter((message) => message.includes('signals were not sent'))).toEqual([])
        house.clock.advance(3_600_000)
        // The database may still be committing after its connection was cut, so this polls.
        await expect
          .poll(() => house.devices.outbox.deliver())
          .toEqual({ delivered: 1, retrying: 0, dead: 0 })
        expect(house.signals.events).toMatchObject([
          { signal: 'device_revoked', deviceUid: client.uid },
        ])
      })
    },
    ['postgres', 'mariadb'],
  )
})
