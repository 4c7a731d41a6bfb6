import { ConfigurationError } from '@quillgate/server'
import type { RevocationReason } from '@quillgate/trusted-devices'
import { describe, expect, it } from 'vitest'
import { BearerClient } from '../support/client.ts'
import { useClient } from '../support/use-client.ts'

const opened = useClient()

describe('the reason of a revocation', () => {
  it.each(['', ' ', 'x'.repeat(65), 'a\nb', 'a\0', 'a\u2028b', '\ud800', 7, null, {}, ['x']])(
    'cannot be %j',
    async (value) => {
      const reason = value as RevocationReason
      const { devices } = opened
      await expect(devices.registry.revoke('1', opened.client.uid, { reason })).rejects.toThrow(
        ConfigurationError,
      )
      await expect(devices.registry.revokeAll('1', { reason })).rejects.toThrow(ConfigurationError)
      await expect(devices.registry.revokeWhere({ userId: '1' }, { reason })).rejects.toThrow(
        ConfigurationError,
      )
      await expect(
        devices.registry.revokeWhere({ userId: '1' }, { reason, dryRun: true }),
      ).rejects.toThrow(/reason/)
      expect((await devices.registry.list('1')).devices).toHaveLength(1)
    },
  )

  it.each(['password_changed', 'stolen laptop', 'é', '\u{1f512}'.repeat(64)])(
    'can be %j',
    async (reason) => {
      expect(await opened.devices.registry.revoke('1', opened.client.uid, { reason })).toBe(true)
      expect(opened.house.signals.events.at(-1)).toMatchObject({ reason })
    },
  )
})

describe('the filter by uid', () => {
  it('selects one device, only if it belongs to the given user', async () => {
    const other = new BearerClient(opened.devices)
    await other.login()
    const preview = (userId: string, uid: string) =>
      opened.devices.registry.revokeWhere({ userId, uid }, { dryRun: true })
    expect(await preview('1', opened.client.uid.toUpperCase())).toMatchObject({
      revoked: 1,
      sample: [{ uid: opened.client.uid }],
    })
    expect(await preview('2', opened.client.uid)).toMatchObject({ revoked: 0 })
    await expect(preview('1', 'x')).rejects.toMatchObject({
      errors: [{ field: 'uid', message: 'Must be a UUID.' }],
    })
    expect(await opened.devices.registry.revokeWhere({ uid: opened.client.uid })).toMatchObject({
      revoked: 1,
    })
    expect((await opened.devices.registry.list('1')).devices.map(({ uid }) => uid)).toEqual([
      other.uid,
    ])
  })
})
