import { describeDatabases } from '@quillgate/server/testing/suites'
import { describe, expect, it } from 'vitest'
import { BearerClient, problemOf } from '../support/client.ts'
import { useCutCommits } from '../support/cut-commits.ts'

describe('a connection that breaks during a commit', () => {
  describeDatabases(
    (engine) => {
      const open = useCutCommits(engine)

      it('returns commit_unknown, logs the unpublished signal, and signs out', async () => {
        const { cutCommit, devices, house, lost } = open()
        const client = new BearerClient(devices)
        await client.login()
        house.signals.take()
        cutCommit()
        const logout = client.send('POST', '/trusted-devices/logout')
        expect(await problemOf(await logout)).toBe('503 commit_unknown')
        expect(house.signals.events).toEqual([])
        expect(lost).toContainEqual(expect.stringContaining(`revoked ${client.uid}`))
        expect((await client.send('GET', '/trusted-devices')).status).toBe(401)
      })

      it('returns commit_unknown for a change without an event', async () => {
        const { cutCommit, devices, lost } = open()
        const client = new BearerClient(devices)
        await client.login()
        cutCommit()
        const rename = client.send('PATCH', `/trusted-devices/${client.uid}`, {
          json: { name: 'new' },
        })
        expect(await problemOf(await rename)).toBe('503 commit_unknown')
        expect(lost).not.toContainEqual(expect.stringContaining('signals were not sent'))
      })
    },
    ['postgres', 'mariadb'],
  )
})
