import { describeDatabases } from '@quillgate/server/testing/suites'
import { describe, expect, it } from 'vitest'
import { BearerClient, problemOf } from '../support/client.ts'
import { useCutCommits } from '../support/cut-commits.ts'

describe('a connection that breaks during the commit', () => {
  describeDatabases(
    (engine) => {
      const open = useCutCommits(engine)

      const signedIn = async (): Promise<BearerClient> => {
        const { devices, house } = open()
        const client = new BearerClient(devices)
        await client.login()
        expect((await client.send('GET', '/trusted-devices')).status).toBe(200) // Now it is remembered.
        house.signals.take()
        return client
      }

      it('loses no signal, and the device is signed out at once', async () => {
        const { cutCommit, house, lost } = open()
        const client = await signedIn()
        cutCommit()
        expect((await client.send('POST', '/trusted-devices/logout')).status).toBe(204)
        expect(house.signals.events).toMatchObject([
          { signal: 'device_revoked', deviceUid: client.uid },
        ])
        expect((await client.send('GET', '/trusted-devices')).status).toBe(401)
        expect(lost).toEqual([])
      })

      it('at a login gives the device that was registered', async () => {
        const { cutCommit, devices, house } = open()
        await signedIn()
        const client = new BearerClient(devices)
        cutCommit()
        expect((await client.login()).status).toBe(200)
        expect(house.signals.events).toMatchObject([
          { signal: 'device_created', device: { uid: client.uid } },
        ])
        expect((await client.send('GET', '/trusted-devices')).status).toBe(200)
      })

      it('leaves no trace of a deleted user', async () => {
        const { cutCommit, devices, house } = open()
        await signedIn()
        cutCommit()
        expect(await devices.users.deleted('1')).toBe(1)
        expect(house.signals.names()).toEqual(['device_revoked'])
        expect(await house.sql.query('SELECT * FROM quillgate_device_owner')).toEqual([])
      })

      it('without an event is commit_unknown', async () => {
        const { cutCommit } = open()
        const client = await signedIn()
        cutCommit()
        const rename = client.send('PATCH', `/trusted-devices/${client.uid}`, {
          json: { name: 'new' },
        })
        expect(await problemOf(await rename)).toBe('503 commit_unknown')
      })

      it('of a database that stays away tells the operator what may be missing', {
        timeout: 30_000,
      }, async () => {
        const { cutCommit, lost, proxy } = open()
        const client = await signedIn()
        cutCommit()
        const logout = client.send('POST', '/trusted-devices/logout')
        proxy.refuse()
        expect(await problemOf(await logout)).toBe('503 commit_unknown')
        expect(lost).toContainEqual(expect.stringContaining(`revoked ${client.uid}`))
      })
    },
    ['postgres', 'mariadb'],
  )
})
