import { describe, expect, it } from 'vitest'
import {
  beginGeneration,
  confirmToken,
  examineToken,
  isAccepted,
  noteLate,
  rotateToken,
  type TokenStatus,
  tokenPolicy,
} from '../../src/tokens/rotation-and-reuse.ts'

describe('a thief who polls within the grace period while the owner refreshes regularly', () => {
  const SECONDS = tokenPolicy({ refreshTokenLifetime: 30 * 86_400, refreshGrace: 30 })
  const DAY = 86_400

  /** Decides from the status of the old token whether a thief continues with the new token. */
  type Strategy = (status: TokenStatus) => boolean
  const STRATEGIES: Readonly<Record<string, Strategy>> = {
    'takes every new token': () => true,
    'takes a new token when the owner has it too': (status) => status === 'within_grace',
    'takes a new token unless its own request created it': (status) => status !== 'current',
    'keeps the old token for as long as it is valid': () => false,
  }

  /** Returns the second at which the device is revoked, or null. */
  function live(
    ownerEvery: number,
    thiefComes: (second: number) => boolean,
    takes: Strategy,
  ): number | null {
    let server = beginGeneration(1, 0)
    let owner = 0
    let thief = 0
    const exchange = (counter: number, now: number): TokenStatus => {
      const status = examineToken(server, { generation: 1, counter }, now, SECONDS)
      server = status === 'current' ? rotateToken(server, now) : noteLate(server, now, SECONDS)
      return status
    }
    for (let second = 1; second <= DAY; second++) {
      const now = second * 1000
      if (second % ownerEvery === 0) {
        if (!isAccepted(exchange(owner, now))) return second
        owner = server.counter
        server = confirmToken(server, now)
      }
      if (!thiefComes(second)) continue
      const status = exchange(thief, now)
      if (!isAccepted(status)) return second
      if (takes(status)) thief = server.counter
    }
    return null
  }

  it.each(Object.entries(STRATEGIES))(
    'is detected within hours if the thief %s',
    (_name, takes) => {
      for (let ownerEvery = 120; ownerEvery <= 300; ownerEvery += 20) {
        for (let thiefEvery = 1; thiefEvery <= 30; thiefEvery++) {
          const found = live(ownerEvery, (second) => second % thiefEvery === 0, takes)
          expect(found, `${ownerEvery} s, ${thiefEvery} s`).not.toBeNull()
          expect(found).toBeLessThanOrEqual(ownerEvery * 2 * (SECONDS.lateLimit + 2))
        }
      }
    },
  )

  it('is not detected if each request follows a refresh of the owner within half a minute (SECURITY.md, known limits)', () => {
    expect(
      live(
        240,
        (second) => second % 240 === 10 && second > 240,
        () => true,
      ),
    ).toBeNull()
  })
})
