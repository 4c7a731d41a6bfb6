import { describe, expect, it } from 'vitest'
import {
  beginGeneration,
  confirmToken,
  examineToken,
  isAccepted,
  noteLate,
  rotateToken,
  type TokenPolicy,
  type TokenState,
} from '../../src/tokens/rotation-and-reuse.ts'

const POLICY = {
  lifetime: 1_000_000,
  grace: 30,
  lateAfter: 30,
  lateLimit: Number.POSITIVE_INFINITY,
}
/** The same policy with a lower limit of late positions. In production, the limit is 16. */
const LIMITED = { ...POLICY, lateLimit: 3 }
const ACCESS_LIFETIME = 300

interface Tabs {
  readonly server: TokenState
  /** The token in the storage that both tabs share. */
  readonly stored: number
  /**
   * The time when the token was stored. A tab refreshes when its access token expires. An access
   * token lives longer than the grace period.
   */
  readonly storedAt: number
  /**
   * `sent` contains a token for each tab that waits for the server. `answers` contains a response
   * for each tab that has not received it.
   */
  readonly sent: readonly (number | null)[]
  readonly answers: readonly (number | null)[]
  readonly now: number
}

/** Returns whether one more response can be lost for minutes without exceeding the limit. */
const mayLose = (server: TokenState): boolean =>
  -noteLate(server, Number.MAX_SAFE_INTEGER, LIMITED).late <= LIMITED.lateLimit

function* following(world: Tabs, policy: TokenPolicy): Generator<[string, Tabs | 'signed out']> {
  const isIdle = [0, 1].every((tab) => world.sent[tab] === null && world.answers[tab] === null)
  // No request takes longer than the grace period, because browsers and servers give up earlier.
  if (isIdle) yield ['later', { ...world, now: world.now + ACCESS_LIFETIME }]
  for (const tab of [0, 1]) {
    const put = (list: readonly (number | null)[], value: number | null) =>
      list.map((old, at) => (at === tab ? value : old))
    const [sent, answer] = [world.sent[tab] ?? null, world.answers[tab] ?? null]
    if (sent === null && answer === null && world.now >= world.storedAt + ACCESS_LIFETIME) {
      // A tab reads the storage immediately before it sends.
      yield [`${tab} sends`, { ...world, sent: put(world.sent, world.stored) }]
    }
    if (sent !== null) {
      const status = examineToken(world.server, { generation: 1, counter: sent }, world.now, policy)
      if (!isAccepted(status)) yield [`${tab} is ${status}`, 'signed out']
      const server =
        status === 'current'
          ? rotateToken(world.server, world.now)
          : noteLate(world.server, world.now, policy)
      const served = { ...world, server, sent: put(world.sent, null) }
      yield [`${tab} is served`, { ...served, answers: put(world.answers, server.counter) }]
      if (policy === POLICY || mayLose(server)) yield [`${tab} is served, answer lost`, served]
    }
    if (answer !== null) {
      const stored = {
        ...world,
        stored: answer,
        storedAt: world.now,
        answers: put(world.answers, null),
      }
      yield [`${tab} stores`, stored]
    }
    if (world.stored === world.server.counter) {
      yield [`${tab} uses`, { ...world, server: confirmToken(world.server, world.now) }]
    }
  }
}

/**
 * Returns a key of a world. Worlds with the same future have the same key, so that the search ends.
 */
const keyOfTabs = (
  { server, stored, storedAt, sent, answers, now }: Tabs,
  policy: TokenPolicy,
): string =>
  JSON.stringify([
    policy === POLICY ? null : server.late,
    policy === POLICY ? null : Math.min(now - server.issuedAt, policy.lateAfter + 1),
    server.counter - stored,
    server.confirmedAt === null ? null : Math.min(now - server.confirmedAt, POLICY.grace + 1),
    Math.min(now - storedAt, ACCESS_LIFETIME),
    sent.map((each) => each !== null && server.counter - each),
    answers.map((each) => each !== null && server.counter - each),
  ])

describe('two tabs of one browser with requests in flight', () => {
  it.each([
    ['whatever is lost, without a limit of late tokens', POLICY],
    ['unless answers are lost for minutes at many consecutive positions', LIMITED],
  ])('are never signed out, in any order of requests and answers: %s', (_name, policy) => {
    const start: Tabs = {
      server: beginGeneration(1, 0),
      stored: 0,
      storedAt: 0,
      sent: [null, null],
      answers: [null, null],
      now: 0,
    }
    const seen = new Set<string>()
    const open: [Tabs, string[]][] = [[start, []]]
    for (let entry = open.pop(); entry; entry = open.pop()) {
      const [world, path] = entry
      for (const [step, after] of following(world, policy)) {
        if (after === 'signed out') expect.fail([...path, step].join(' → '))
        if (seen.has(keyOfTabs(after, policy))) continue
        seen.add(keyOfTabs(after, policy))
        open.push([after, [...path, step]])
      }
    }
    expect(seen.size).toBeGreaterThan(30)
  })
})
