import { describeDatabases } from '@quillgate/server/testing/suites'
import type { SettingsInput, TrustedDevice } from '@quillgate/trusted-devices'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient, problemOf, send } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'
import { createMailbox, type Mailbox, tokenIn } from '../support/mailbox.ts'

const [BERLIN, PARIS] = ['203.0.113.10', '198.51.100.7'] as const

describeDatabases((engine) => {
  let house: House
  let box: Mailbox
  afterEach(() => house.close())

  /** The owner has two devices at home, then a stranger signs in from Paris. */
  async function open(
    settings: SettingsInput = {},
  ): Promise<{ owner: BearerClient; stranger: BearerClient }> {
    box = createMailbox({ rateLimit: null })
    house = await openHouse(
      engine,
      { suspiciousDevicePermissions: 'none', ...settings },
      { alerts: box.options },
    )
    const owner = await signIn(BERLIN)
    house.clock.advance(1000)
    await signIn(BERLIN)
    house.clock.advance(1000)
    await house.devices.sendAlerts()
    box.take()
    return { owner, stranger: await signIn(PARIS) }
  }

  async function signIn(address: string): Promise<BearerClient> {
    const client = new BearerClient(house.devices, address)
    expect((await client.login()).status).toBe(200)
    return client
  }

  /** Signs in again, and tells what was said of it. */
  async function heardOf(client: BearerClient): Promise<string[]> {
    house.signals.take()
    expect((await client.login()).status).toBe(200)
    return house.signals.names()
  }

  const logOut = (client: BearerClient) => client.send('POST', '/trusted-devices/logout')
  const isAlive = async (client: BearerClient) =>
    (await client.send('GET', '/trusted-devices')).status === 200
  const deviceOf = async ({ uid }: BearerClient): Promise<TrustedDevice | undefined> =>
    (await house.devices.list('1')).devices.find((device) => device.uid === uid)
  const hasRights = async (client: BearerClient) => {
    const device = await deviceOf(client)
    return device?.canDeleteOthers || device?.canEditOthers
  }

  describe('suspiciousDevicePermissions none', () => {
    it('is not defeated by signing in twice: the second one is a stranger too, and evicts nobody', async () => {
      const { owner, stranger } = await open({ maxDevices: 4 })
      const second = new BearerClient(house.devices, PARIS)
      expect(await heardOf(second)).toEqual(['device_created', 'suspicious_login'])
      expect(await hasRights(second)).toBe(false)
      expect(await problemOf(await new BearerClient(house.devices, PARIS).login())).toBe(
        '409 device_limit_reached',
      )
      const all = await second.send('POST', '/trusted-devices/revoke-all', {
        json: { keep_current: true },
      })
      expect(await problemOf(all)).toBe('403 device_lacks_delete_permission')
      expect([await isAlive(owner), await isAlive(stranger)]).toEqual([true, true])
    })

    it('holds for a suspect device that comes back, from wherever, and evicts nobody either', async () => {
      const { owner, stranger } = await open({ maxDevices: 3, countryHistory: 365 * 86_400 })
      await logOut(stranger)
      stranger.address = BERLIN // Its country is known now.
      await stranger.login()
      expect(await hasRights(stranger)).toBe(false)
      await logOut(stranger)
      house.clock.advance(1000)
      await signIn(BERLIN)
      expect(await problemOf(await stranger.login())).toBe('409 device_limit_reached')
      expect(await isAlive(owner)).toBe(true)
    })

    it('and countryHistory: what a suspect device leaves behind is no known country, and takes none away', async () => {
      const { owner, stranger } = await open({ countryHistory: 365 * 86_400 })
      await logOut(owner)
      await logOut(stranger)
      expect(await heardOf(new BearerClient(house.devices, PARIS))).toEqual([
        'device_created',
        'suspicious_login',
      ])
      await stranger.login()
      stranger.address = BERLIN
      await stranger.login()
      await logOut(stranger)
      const noted = await house.sql.query('SELECT country FROM quillgate_device_country')
      expect(noted).toEqual([{ country: 'DE' }])
    })

    it('ends when a device that may gives it a permission, or the application; not by a name, nor by itself', async () => {
      const { owner, stranger } = await open()
      const path = `/trusted-devices/${stranger.uid}`
      const suspicious = async () =>
        (await heardOf(new BearerClient(house.devices, PARIS))).includes('suspicious_login')
      await owner.send('PATCH', path, { json: { name: 'Who is this?' } })
      await stranger.send('PATCH', path, { json: { can_edit_others: true } })
      expect(await suspicious()).toBe(true)
      expect((await owner.send('PATCH', path, { json: { can_edit_others: true } })).status).toBe(
        200,
      )
      expect(await suspicious()).toBe(false)
      await house.devices.revoke('1', stranger.uid)
      const [newest] = (await house.devices.list('1')).devices.filter(
        ({ country }) => country === 'FR',
      )
      expect(newest?.canEditOthers).toBe(true) // It came after Paris was known.
    })

    it('ends when the user says in a mail that it was them', async () => {
      const { stranger } = await open()
      await house.devices.sendAlerts()
      const [mail] = box.take()
      if (!mail) throw new Error('There is no mail.')
      await logOut(stranger)
      const answer = await send(house.devices, 'POST', '/trusted-devices/alerts', {
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'null' },
        body: new URLSearchParams({ token: tokenIn(mail), answer: 'muted' }).toString(),
      })
      expect(answer.status).toBe(200)
      await stranger.login()
      expect(await heardOf(new BearerClient(house.devices, PARIS))).toEqual(['device_created'])
    })

    it('off: every device that is there counts', async () => {
      await open({ suspiciousDevicePermissions: 'default' })
      expect(await heardOf(new BearerClient(house.devices, PARIS))).toEqual(['device_created'])
      expect(
        await house.sql.query(
          'SELECT COUNT(*) AS n FROM quillgate_device WHERE country IS NOT NULL',
        ),
      ).toHaveLength(1)
    })
  })
})
