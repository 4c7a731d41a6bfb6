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
  type TokenStatus,
  tokenPolicy,
} from '../../src/tokens/rotation-and-reuse.ts'

// Every sequence up to a depth of an owner, a thief who copies the owner's token at any time, lost
// answers, and time. Equal worlds are visited once, so the search is exhaustive and ends.

const POLICY = {
  lifetime: 1_000_000,
  grace: 30,
  lateAfter: 30,
  lateLimit: Number.POSITIVE_INFINITY,
}
/** The same policy with a lower late limit; 16 in production. */
const LIMITED = { ...POLICY, lateLimit: 3 }

/** The tokens of each party. A counter, or null for no token. */
interface World {
  readonly server: TokenState
  readonly isRevoked: boolean
  readonly owner: number
  readonly thief: number | null
  readonly now: number
}

type Party = 'owner' | 'thief'
type Step =
  | `${Party} ${'refreshes' | 'refreshes, answer lost' | 'uses'}`
  | 'theft'
  | 'moment'
  | 'grace passes'

const HONEST: readonly Step[] = [
  'owner refreshes',
  'owner refreshes, answer lost',
  'owner uses',
  'moment',
  'grace passes',
]
const WITH_THIEF: readonly Step[] = [
  ...HONEST,
  'theft',
  'thief refreshes',
  'thief refreshes, answer lost',
  'thief uses',
]

const START: World = {
  server: beginGeneration(1, 0),
  isRevoked: false,
  owner: 0,
  thief: null,
  now: 0,
}

/** Handles a refresh token with the state machine only. */
function refresh(
  world: World,
  counter: number,
): { world: World; status: TokenStatus | 'gone'; given: number | null } {
  if (world.isRevoked) return { world, status: 'gone', given: null }
  const status = examineToken(world.server, { generation: 1, counter }, world.now, POLICY)
  const server = status === 'current' ? rotateToken(world.server, world.now) : world.server
  const next = { ...world, server, isRevoked: status === 'reused' }
  return { world: next, status, given: isAccepted(status) ? server.counter : null }
}

/** Returns the world after a step, or null if the step is not possible. */
function take(world: World, step: Step): World | null {
  if (step === 'moment') return { ...world, now: world.now + 1 }
  if (step === 'grace passes') return { ...world, now: world.now + POLICY.grace + 1 }
  if (step === 'theft') return world.thief === null ? { ...world, thief: world.owner } : null
  const [party, what] = [step.split(' ')[0] as Party, step.slice(step.indexOf(' ') + 1)]
  const held = world[party]
  if (held === null) return null
  if (what === 'uses') {
    const isNewest = held === world.server.counter && !world.isRevoked
    return isNewest ? { ...world, server: confirmToken(world.server, world.now) } : world
  }
  const { world: next, given } = refresh(world, held)
  return given === null || what.endsWith('lost') ? next : { ...next, [party]: given }
}

/**
 * Returns a key that is equal for worlds with the same future: only differences of counters and
 * times count.
 */
function keyOf({ server, isRevoked, owner, thief, now }: World): string {
  const { confirmedAt } = server
  const since = confirmedAt === null ? '-' : Math.min(now - confirmedAt, POLICY.grace + 1)
  return [
    isRevoked,
    server.counter - owner,
    thief === null ? '-' : server.counter - thief,
    since,
  ].join()
}

/**
 * Calls `visit` for every world within the given number of steps, with the steps that lead to it.
 */
function explore(
  steps: readonly Step[],
  depth: number,
  visit: (world: World, path: readonly Step[]) => void,
): number {
  const seen = new Set([keyOf(START)])
  let frontier: { world: World; path: readonly Step[] }[] = [{ world: START, path: [] }]
  for (let level = 0; level <= depth && frontier.length > 0; level++) {
    const next: typeof frontier = []
    for (const { world, path } of frontier) {
      visit(world, path)
      for (const step of steps) {
        const after = take(world, step)
        if (after === null || seen.has(keyOf(after))) continue
        seen.add(keyOf(after))
        next.push({ world: after, path: [...path, step] })
      }
    }
    frontier = next
  }
  return seen.size
}

/** Visits every path, without keys. */
function explorePaths(
  steps: readonly Step[],
  depth: number,
  visit: (world: World, path: readonly Step[]) => void,
): number {
  let count = 0
  const walk = (world: World, path: readonly Step[]): void => {
    count++
    visit(world, path)
    if (path.length === depth) return
    for (const step of steps) {
      const after = take(world, step)
      if (after) walk(after, [...path, step])
    }
  }
  walk(START, [])
  return count
}

const DEPTH = 24

/**
 * Without a thief: the next refresh is accepted, whatever was lost and however long the pause is.
 */
const ownerIsSignedIn = (world: World, path: readonly Step[]): void => {
  expect(world.isRevoked, path.join(' → ')).toBe(false)
  expect(refresh(world, world.owner).given, path.join(' → ')).not.toBeNull()
}

/**
 * A token older than the two newest, or one position behind after the grace period, revokes the
 * device.
 */
const oldTokensAreCaught = (world: World, path: readonly Step[]): void => {
  if (world.isRevoked) return
  const { counter, confirmedAt } = world.server
  for (let old = Math.max(0, counter - 4); old < counter; old++) {
    const isOver =
      old < counter - 1 || (confirmedAt !== null && world.now > confirmedAt + POLICY.grace)
    const { status, world: after } = refresh(world, old)
    expect(status === 'reused' && after.isRevoked, `${path.join(' → ')}: ${old}`).toBe(isOver)
  }
}

/** If both continue, each after the grace period, one of them is detected within three turns. */
const bothAreFoundOut = (world: World, path: readonly Step[]): void => {
  if (world.thief === null || world.isRevoked) return
  for (const order of [
    ['owner', 'thief'],
    ['thief', 'owner'],
  ] as const) {
    let after: World = world
    for (let turn = 0; turn < 3; turn++) {
      for (const party of order) {
        for (const step of [`${party} refreshes`, `${party} uses`, 'grace passes'] as const)
          after = take(after, step) ?? after
      }
    }
    expect(after.isRevoked, `${path.join(' → ')}, then in turns`).toBe(true)
  }
}

/** An answer is always the newest token, and the server never goes back. */
const answersAreNewest = (world: World): void => {
  for (const held of [world.owner, world.thief]) {
    if (held === null) continue
    expect(held).toBeLessThanOrEqual(world.server.counter)
    const { world: after, given } = refresh(world, held)
    expect(after.server.counter).toBeGreaterThanOrEqual(world.server.counter)
    if (given !== null) expect(given).toBe(after.server.counter)
  }
}

describe('every sequence of steps', () => {
  it('keeps one owner with lost answers signed in', () => {
    expect(explore(HONEST, 200, ownerIsSignedIn)).toBeGreaterThan(30)
    expect(explorePaths(HONEST, 6, ownerIsSignedIn)).toBe((5 ** 7 - 1) / 4)
  })

  it('detects an old token after the grace period of its successor', () => {
    expect(explore(WITH_THIEF, DEPTH, oldTokensAreCaught)).toBeGreaterThan(500)
  })

  it('detects an owner and a thief who both continue', () => {
    explore(WITH_THIEF, DEPTH, bothAreFoundOut)
  })

  it('is answered only with the newest token', () => {
    explore(WITH_THIEF, DEPTH, answersAreNewest)
  })

  it('has these properties without pruning, up to five steps', () => {
    const count = explorePaths(WITH_THIEF, 5, (world, path) => {
      oldTokensAreCaught(world, path)
      bothAreFoundOut(world, path)
      answersAreNewest(world)
    })
    expect(count).toBeGreaterThan(10_000)
  })

  it('revokes only after an outdated token was sent', () => {
    explorePaths(WITH_THIEF, 5, (world, path) => {
      if (world.isRevoked) expect(path.some((step) => step.includes('refreshes'))).toBe(true)
      if (world.isRevoked) expect(path).toContain('theft')
    })
  })
})

describe('two tabs of one browser with requests in flight', () => {
  interface Tabs {
    readonly server: TokenState
    /** The shared storage of both tabs. */
    readonly stored: number
    /**
     * The time of storing: a tab refreshes when its access token expires, which takes longer than
     * the grace period.
     */
    readonly storedAt: number
    /** By tab: the token that was sent and not yet handled, or the answer that has not arrived. */
    readonly sent: readonly (number | null)[]
    readonly answers: readonly (number | null)[]
    readonly now: number
  }
  const ACCESS_LIFETIME = 300

  /** Whether one more answer may be lost for minutes without reaching the limit. */
  const mayLose = (server: TokenState): boolean =>
    -noteLate(server, Number.MAX_SAFE_INTEGER, LIMITED).late <= LIMITED.lateLimit

  function* following(world: Tabs, policy: TokenPolicy): Generator<[string, Tabs | 'signed out']> {
    const isIdle = [0, 1].every((tab) => world.sent[tab] === null && world.answers[tab] === null)
    // No request takes longer than the grace period, because browsers and servers give up before.
    if (isIdle) yield ['later', { ...world, now: world.now + ACCESS_LIFETIME }]
    for (const tab of [0, 1]) {
      const put = (list: readonly (number | null)[], value: number | null) =>
        list.map((old, at) => (at === tab ? value : old))
      const [sent, answer] = [world.sent[tab] ?? null, world.answers[tab] ?? null]
      if (sent === null && answer === null && world.now >= world.storedAt + ACCESS_LIFETIME) {
        yield [`${tab} sends`, { ...world, sent: put(world.sent, world.stored) }] // It reads the storage just before.
      }
      if (sent !== null) {
        const status = examineToken(
          world.server,
          { generation: 1, counter: sent },
          world.now,
          policy,
        )
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

describe('a thief who polls within the grace period while the owner refreshes regularly', () => {
  const SECONDS = tokenPolicy({ refreshTokenLifetime: 30 * 86_400, refreshGrace: 30 })
  const DAY = 86_400

  /** Decides by the status of the old token whether a thief continues with the new one. */
  type Strategy = (status: TokenStatus) => boolean
  const STRATEGIES: Readonly<Record<string, Strategy>> = {
    'takes every new token': () => true,
    'takes a new token when its owner has it too': (status) => status === 'within_grace',
    'takes a new token unless it has just made it': (status) => status !== 'current',
    'keeps the old token for as long as it is good': () => false,
  }

  /** @returns the second at which the device was revoked, or null; times are seconds */
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

  it.each(Object.entries(STRATEGIES))('is detected within hours: one who %s', (_name, takes) => {
    for (let ownerEvery = 120; ownerEvery <= 300; ownerEvery += 20) {
      for (let thiefEvery = 1; thiefEvery <= 30; thiefEvery++) {
        const found = live(ownerEvery, (second) => second % thiefEvery === 0, takes)
        expect(found, `${ownerEvery} s, ${thiefEvery} s`).not.toBeNull()
        expect(found).toBeLessThanOrEqual(ownerEvery * 2 * (SECONDS.lateLimit + 2))
      }
    }
  })

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
