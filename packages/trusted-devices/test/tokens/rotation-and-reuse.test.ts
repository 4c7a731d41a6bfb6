import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  beginGeneration,
  confirmToken,
  examineToken,
  isAccepted,
  noteLate,
  rotateToken,
  type TokenPosition,
  type TokenState,
  tokenPolicy,
} from '../../src/tokens/rotation-and-reuse.ts'

const POLICY = tokenPolicy({ refreshTokenLifetime: 30 * 86_400, refreshGrace: 30 })

describe('noteLate', () => {
  const second = rotateToken(beginGeneration(1, 0), 1000)
  const at = (state: TokenState, now: number) => noteLate(state, now, POLICY).late

  it('counts a position once, and only if its older token arrives half a minute late', () => {
    expect(at(second, 31_000)).toBe(0)
    expect(at(second, 31_001)).toBe(-1)
    const noted = noteLate(second, 31_001, POLICY)
    expect(noteLate(noted, 90_000, POLICY)).toBe(noted)
  })

  it('subtracts one for each position on time', () => {
    const late = (state: TokenState) => noteLate(rotateToken(state, 0), 31_000, POLICY)
    const onTime = (state: TokenState) => rotateToken(state, 0)
    let state = second
    for (let times = 0; times < 5; times++) state = late(state)
    expect(state.late).toBe(-5)
    expect(onTime(onTime(state)).late).toBe(4)
    expect(late(onTime(onTime(state))).late).toBe(-4)
    for (let times = 0; times < 9; times++) state = onTime(state)
    expect(state.late).toBe(0)
  })

  it('is kept by rotations and uses, and reset by a login', () => {
    expect(confirmToken(rotateToken({ ...second, late: -3 }, 2000), 3000).late).toBe(3)
    expect(beginGeneration(2, 4000).late).toBe(0)
  })

  it('makes the next late token count as reused at the limit', () => {
    const state = { ...second, counter: 5, late: POLICY.lateLimit }
    expect(examineToken(state, { generation: 1, counter: 4 }, 31_000, POLICY)).toBe('answer_lost')
    expect(examineToken(state, { generation: 1, counter: 4 }, 31_001, POLICY)).toBe('reused')
    expect(
      examineToken(confirmToken(state, 40_000), { generation: 1, counter: 4 }, 50_000, POLICY),
    ).toBe('reused')
    expect(examineToken(state, { generation: 1, counter: 5 }, 50_000, POLICY)).toBe('current')
    const noted = { ...state, late: -POLICY.lateLimit } // The same late use is repeated.
    expect(examineToken(noted, { generation: 1, counter: 4 }, 50_000, POLICY)).toBe('answer_lost')
  })

  it('allows at least 30 s for requests in flight, whatever refreshGrace is', () => {
    expect(tokenPolicy({ refreshTokenLifetime: 60, refreshGrace: 0 }).lateAfter).toBe(30_000)
    expect(tokenPolicy({ refreshTokenLifetime: 60, refreshGrace: 300 }).lateAfter).toBe(300_000)
  })
})

describe('examineToken', () => {
  const first = beginGeneration(1, 0)
  const second = rotateToken(first, 1000)

  it('accepts the newest token until it expires', () => {
    expect(examineToken(second, second, 1000 + POLICY.lifetime - 1, POLICY)).toBe('current')
    expect(examineToken(second, second, 1000 + POLICY.lifetime, POLICY)).toBe('expired')
  })

  it('accepts the token before the newest one until the newest one is used', () => {
    expect(examineToken(second, first, 20 * 86_400_000, POLICY)).toBe('answer_lost')
  })

  it('accepts the token before the newest one for the grace period after the first use', () => {
    const used = confirmToken(second, 5000)
    expect(examineToken(used, first, 35_000, POLICY)).toBe('within_grace')
    expect(examineToken(used, first, 35_001, POLICY)).toBe('reused')
    expect(confirmToken(used, 9000)).toBe(used)
  })

  it('returns reused for an older token, and unknown for another login or a future position', () => {
    const third = rotateToken(second, 2000)
    expect(examineToken(third, first, 2000, POLICY)).toBe('reused')
    expect(examineToken(third, { generation: 2, counter: 0 }, 2000, POLICY)).toBe('unknown')
    expect(examineToken(beginGeneration(2, 3000), third, 3000, POLICY)).toBe('unknown')
    expect(examineToken(third, { generation: 1, counter: 3 }, 2000, POLICY)).toBe('unknown')
  })

  it('raises no alarm for an expired generation', () => {
    expect(examineToken(rotateToken(second, 2000), first, 2000 + POLICY.lifetime, POLICY)).toBe(
      'expired',
    )
  })
})

/** A server with one device. It uses only the functions of `rotation-and-reuse.ts`. */
class Server {
  state: TokenState = beginGeneration(1, 0)
  revoked = false

  refresh(token: TokenPosition, now: number): TokenPosition | null {
    if (this.revoked) return null
    const status = examineToken(this.state, token, now, POLICY)
    if (status === 'reused') this.revoked = true
    if (status === 'current') this.state = rotateToken(this.state, now)
    else if (isAccepted(status)) this.state = noteLate(this.state, now, POLICY)
    return isAccepted(status) ? this.state : null
  }

  /** Sends a request with the access token that was issued with a refresh token. */
  use(token: TokenPosition, now: number): void {
    if (token.counter === this.state.counter) this.state = confirmToken(this.state, now)
  }
}

describe('the state machine', () => {
  const tab = fc.integer({ min: 0, max: 7 })
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('refresh' as const), tab, lost: fc.boolean() }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('use' as const), tab }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('sleep' as const),
        seconds: fc.integer({ min: 1, max: 8 * 3600 }),
      }),
    },
  )

  it('never signs out eight tabs with shared storage, whatever answers are lost and however long they sleep', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const server = new Server()
        let stored: TokenPosition = server.state
        let now = 0
        for (const each of steps) {
          if (each.do === 'sleep') now += each.seconds * 1000
          else if (each.do === 'use') server.use(stored, now)
          else {
            const answer = server.refresh(stored, now)
            expect(answer).not.toBeNull()
            if (!each.lost && answer) stored = answer
          }
        }
        expect(server.revoked).toBe(false)
      }),
      { numRuns: 500 },
    )
  })

  it('always detects a stolen token that is used after the grace period of its successor', () => {
    const steps = fc.array(
      fc.record({
        lost: fc.boolean(),
        used: fc.boolean(),
        pause: fc.integer({ min: 0, max: 3600 }),
      }),
      {
        minLength: 1,
        maxLength: 50,
      },
    )
    fc.assert(
      fc.property(steps, fc.nat(49), (rounds, theft) => {
        const server = new Server()
        let stored: TokenPosition = server.state
        let stolen: TokenPosition | null = null
        let now = 0
        for (const [index, { lost, used, pause }] of rounds.entries()) {
          if (index === theft % rounds.length) stolen = stored
          const answer = server.refresh(stored, now)
          if (!lost && answer) stored = answer
          if (used) server.use(stored, now)
          now += pause * 1000
        }
        stored = server.refresh(stored, now) ?? stored
        server.use(stored, now)
        now += POLICY.grace + 1
        expect(server.refresh(stolen ?? stored, now)).toBeNull()
        expect(server.revoked).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it('detects the thief or the owner if both continue with one token', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 8, maxLength: 60 }), (turns) => {
        fc.pre(turns.filter(Boolean).length >= 3 && turns.filter((turn) => !turn).length >= 3)
        const server = new Server()
        const holds = { owner: server.state as TokenPosition, thief: server.state as TokenPosition }
        let now = 0
        let caught = false
        // Each party uses its new token, and returns long after the grace period.
        for (const turn of [...turns, true, false, true, false]) {
          const who = turn ? 'owner' : 'thief'
          const answer = server.refresh(holds[who], now)
          if (!answer) caught = true
          else {
            holds[who] = answer
            server.use(answer, now)
          }
          now += 3_600_000
        }
        expect(caught).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it('never goes back, and accepts only the two newest positions', () => {
    const position = fc.record({ generation: fc.integer({ min: 0, max: 3 }), counter: fc.nat(6) })
    fc.assert(
      fc.property(
        fc.nat(5),
        fc.option(fc.nat(100_000)),
        position,
        fc.nat(200_000),
        (rotations, confirmed, token, now) => {
          let state = beginGeneration(2, 0)
          for (let index = 0; index < rotations; index++) state = rotateToken(state, index)
          if (confirmed !== null) state = confirmToken(state, confirmed)
          const status = examineToken(state, token, now, POLICY)
          const isNear = token.generation === 2 && [0, 1].includes(state.counter - token.counter)
          if (isAccepted(status)) expect(isNear).toBe(true)
          if (status === 'reused')
            expect(token.generation === 2 && token.counter < state.counter).toBe(true)
        },
      ),
      { numRuns: 500 },
    )
  })
})
