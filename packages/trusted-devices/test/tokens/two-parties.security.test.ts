import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient, problemOf, send } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'

const STRANGER = '192.0.2.44'
const REFRESH = '/trusted-devices/token/refresh'
const SECOND = 1000

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())

  const signIn = async (): Promise<{ owner: BearerClient; thief: BearerClient }> => {
    const owner = new BearerClient(house.devices)
    await owner.login()
    const thief = Object.assign(owner.copy(), { address: STRANGER })
    house.signals.take()
    return { owner, thief }
  }
  const isIn = async (client: BearerClient) =>
    (await client.send('GET', '/trusted-devices')).status === 200

  describe('a copied refresh token whose owner continues', () => {
    it('is detected although the thief refreshes within each grace period', {
      timeout: 60_000,
    }, async () => {
      house = await openHouse(engine)
      const { owner, thief } = await signIn()
      // This thief continues with a new token only when the owner has it too.
      let isConfirmed = false
      let base = thief.refresh
      let rounds = 0
      for (
        let second = 0;
        second < 24 * 3600 && (await house.devices.registry.list('1')).devices.length > 0;
        second += 20
      ) {
        house.clock.advance(20 * SECOND)
        if (second % 240 === 0) {
          rounds++
          await owner.refreshTokens()
          isConfirmed = await isIn(owner)
        }
        if ((await thief.refreshTokens(base)).status === 200 && isConfirmed) base = thief.refresh
        isConfirmed = false
      }
      expect(house.signals.names()).toEqual(['device_revoked', 'device_compromised'])
      expect(rounds).toBeLessThan(40)
      expect([await isIn(owner), await isIn(thief)]).toEqual([false, false])
    })

    it('gets answers that do not reveal the state of the token', async () => {
      house = await openHouse(engine)
      const { owner, thief } = await signIn()
      const answers: Record<string, string>[] = []
      const ask = async (token: string): Promise<void> => {
        const response = await send(house.devices, 'POST', REFRESH, { json: { refresh: token } })
        expect(response.status).toBe(200)
        await response.text()
        answers.push(Object.fromEntries(response.headers))
      }
      const first = owner.refresh
      await owner.refreshTokens()
      await ask(first) // This is the previous token before the first use of the newest token.
      expect(await isIn(owner)).toBe(true)
      await ask(first) // This is the previous token within the grace period.
      await ask(owner.refresh) // This is the newest token.
      const [lost, ...others] = answers
      for (const other of others) expect(other).toEqual(lost)
      expect(thief.refresh).toBe(first)
    })

    it('signs no owner out who sometimes loses answers for hours', async () => {
      house = await openHouse(engine)
      const { owner } = await signIn()
      for (let round = 0; round < 60; round++) {
        house.clock.advance(3600 * SECOND)
        if (round % 3 === 0) await owner.copy().refreshTokens() // The response does not arrive.
        house.clock.advance(3600 * SECOND)
        expect((await owner.refreshTokens()).status).toBe(200)
        expect(await isIn(owner)).toBe(true)
      }
      expect(house.signals.events).toEqual([])
    })
  })

  describe('refreshRateLimit', () => {
    it('does not hide a theft: the owner detects a thief who uses up the limit', async () => {
      house = await openHouse(engine, { refreshRateLimit: '5/minute' })
      const { owner, thief } = await signIn()
      for (let times = 0; times < 6; times++) await thief.refreshTokens()
      expect(await problemOf(await thief.refreshTokens())).toBe('429 rate_limited')
      expect(await problemOf(await owner.refreshTokens())).toBe('401 token_reused')
      expect(house.signals.names()).toEqual(['device_revoked', 'device_compromised'])
      expect(await isIn(thief)).toBe(false)
    })

    it('is separate for the newest token and for earlier ones', async () => {
      house = await openHouse(engine, { refreshRateLimit: '5/minute' })
      const { owner, thief } = await signIn()
      await isIn(owner)
      house.clock.advance(60 * SECOND)
      await owner.login()
      const answers = new Set<string>()
      for (let times = 0; times < 10; times++)
        answers.add(await problemOf(await thief.refreshTokens()))
      expect([...answers]).toEqual(['401 token_invalid', '429 rate_limited'])
      const before = owner.copy()
      expect((await owner.refreshTokens()).status).toBe(200)
      for (let times = 0; times < 10; times++) await before.copy().refreshTokens()
      expect(await problemOf(await before.copy().refreshTokens())).toBe('429 rate_limited')
      for (let times = 0; times < 4; times++) expect((await owner.refreshTokens()).status).toBe(200)
      expect(await problemOf(await owner.refreshTokens())).toBe('429 rate_limited')
    })

    it('limits the tokens of a revoked device', async () => {
      house = await openHouse(engine, { refreshRateLimit: '5/minute' })
      const { owner } = await signIn()
      await house.devices.registry.revokeAll('1')
      for (let times = 0; times < 5; times++) {
        expect(await problemOf(await owner.refreshTokens())).toBe('401 device_not_recognized')
      }
      expect(await problemOf(await owner.refreshTokens())).toBe('429 rate_limited')
    })
  })
})
