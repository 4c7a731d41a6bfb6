import { describe, expect, it } from 'vitest'
import {
  beginGeneration,
  confirmToken,
  examineToken,
  isAccepted,
  rotateToken,
  type TokenState,
  type TokenStatus,
} from '../../src/tokens/rotation-and-reuse.ts'

// These tests try every sequence of steps up to a maximum length. An owner refreshes tokens, a
// thief can copy the owner's token, responses can get lost, and time passes. `explore` visits equal
// states only once.

const POLICY = {
  lifetime: 1_000_000,
  grace: 30,
  lateAfter: 30,
  lateLimit: Number.POSITIVE_INFINITY,
}

/**
 * The state of the server, and the token of each party. A token is a counter, or null if there is
 * none.
 */
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
 * Returns a key of a world. Worlds with the same future have the same key, because only the
 * differences of counters and times matter.
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

/** Calls `visit` for every world that the given number of steps can reach. */
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

/** Calls `visit` for every sequence of steps, even if sequences lead to equal worlds. */
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

const ownerIsSignedIn = (world: World, path: readonly Step[]): void => {
  expect(world.isRevoked, path.join(' → ')).toBe(false)
  expect(refresh(world, world.owner).given, path.join(' → ')).not.toBeNull()
}

/**
 * Checks that a token revokes the device if and only if it is older than the two newest tokens, or
 * if it is the second newest token and the grace period is over.
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

/**
 * Checks that the reuse is detected within three refreshes of each party, if the owner and the
 * thief both continue after the grace period.
 */
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
