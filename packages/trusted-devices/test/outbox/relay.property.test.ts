import { migrate, openDatabase } from '@quillgate/server/database'
import type { AttemptResult, JobHandler } from '@quillgate/server/jobs'
import { deviceMigrations } from '@quillgate/trusted-devices'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DeviceEvent } from '../../src/devices/device-event.ts'
import { DeviceDatabase } from '../../src/devices/tables/device-database.ts'
import { createOutbox, type Outbox } from '../../src/outbox/outbox.ts'
import { revokedEvent } from './outbox-nodes.ts'

/** The steps of a test. Nodes are processes that share a database. */
type Step =
  | {
      readonly kind: 'commit'
      readonly node: number
      readonly user: number
      readonly count: number
    }
  | { readonly kind: 'deliver'; readonly node: number }
  /** All nodes commit and deliver in parallel. */
  | { readonly kind: 'rush'; readonly user: number }
  | { readonly kind: 'fail'; readonly times: number }
  | { readonly kind: 'refuse' }
  /** The next attempt hangs until the end of the test. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'die'; readonly node: number }
  /** Milliseconds. The clock can also go back. */
  | { readonly kind: 'clock'; readonly by: number }
  | { readonly kind: 'replay' }
  /** The node pauses between the commit and the delivery. Other steps run in the meantime. */
  | { readonly kind: 'pause'; readonly node: number; readonly user: number; readonly count: number }
  | { readonly kind: 'resume' }

const NODES = 3
const work: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('commit' as const),
    node: fc.nat(NODES - 1),
    user: fc.nat(1),
    count: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({ kind: fc.constant('deliver' as const), node: fc.nat(NODES - 1) }),
  fc.record({ kind: fc.constant('rush' as const), user: fc.nat(1) }),
)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: work },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('fail' as const),
      times: fc.integer({ min: 1, max: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('refuse' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('hang' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('die' as const), node: fc.nat(NODES - 1) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('clock' as const),
      by: fc.oneof(
        fc.constantFrom(1, 5000, 31_000, 3_600_000, -60_000, -7_200_000),
        fc.integer({ min: -90_000, max: 90_000 }),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replay' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('pause' as const),
      node: fc.nat(NODES - 1),
      user: fc.nat(1),
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('resume' as const) }) },
)

/** A process. After it was killed, its attempts never end and have no effect. */
interface Node {
  readonly outbox: Outbox
  isDead: boolean
  readonly running: Set<Promise<unknown>>
}

class World {
  now = Date.UTC(2026, 6, 1)
  readonly committed: { readonly eventId: string; readonly userId: string }[] = []
  /** The ids of delivered events, by user. */
  readonly delivered = new Map<string, string[]>()
  readonly replayed = new Set<string>()
  readonly problems: string[] = []
  attempts = 0
  failures = 0
  refusals = 0
  hangs = 0
  readonly hanging: {
    readonly node: () => Node
    readonly end: (attempted: AttemptResult) => void
  }[] = []
  nodes: Node[] = []
  #events = 0
  readonly #database = openDatabase('sqlite::memory:')
  readonly #db = new DeviceDatabase(this.#database, 'quillgate_')

  async open(): Promise<void> {
    await migrate(this.#database, deviceMigrations)
    for (let index = 0; index < NODES; index++) this.nodes.push(this.#start())
  }

  close(): Promise<void> {
    return this.#database.close()
  }

  #start(): Node {
    const handler: JobHandler<DeviceEvent> = {
      isOpen: () => !node.isDead,
      handle: async ([job]) => (job ? this.#attempt(() => node, job.payload) : { kind: 'done' }),
    }
    const outbox = createOutbox({
      db: this.#db,
      handler,
      clock: () => this.now,
      random: () => 0.5,
      attempts: 4,
      timeout: 20,
      interval: null,
      retention: null,
      onError: (error) => this.problems.push(String(error)),
    })
    const node: Node = { outbox, isDead: false, running: new Set() }
    return node
  }

  async #attempt(node: () => Node, event: DeviceEvent): Promise<AttemptResult> {
    const { eventId, userId } = event
    if (node().isDead) return new Promise(() => {})
    this.attempts++
    this.#checkOrder(eventId, userId)
    await Promise.resolve()
    if (this.hangs > 0) {
      this.hangs--
      const { promise, resolve } = Promise.withResolvers<AttemptResult>()
      this.hanging.push({ node, end: resolve })
      const attempted = await promise
      if (attempted.kind === 'done') this.#note(eventId, userId)
      return attempted
    }
    if (this.refusals > 0) {
      this.refusals--
      this.givenUp.add(eventId)
      return { kind: 'dead', error: 'no' }
    }
    if (this.failures > 0) {
      this.failures--
      return { kind: 'retry', error: 'not now' }
    }
    this.#note(eventId, userId)
    return { kind: 'done' }
  }

  #note(eventId: string, userId: string): void {
    const list = this.delivered.get(userId) ?? []
    this.delivered.set(userId, list)
    if (!list.includes(eventId)) list.push(eventId)
  }

  #checkOrder(eventId: string, userId: string): void {
    if (this.replayed.has(eventId)) return
    const own = this.committed.filter((each) => each.userId === userId).map((each) => each.eventId)
    const before = own.slice(0, own.indexOf(eventId))
    const open = before.filter(
      (id) => !this.delivered.get(userId)?.includes(id) && !this.givenUp.has(id),
    )
    if (open.length > 0) this.pendingChecks.push({ eventId, open })
  }

  readonly givenUp = new Set<string>()
  /**
   * Attempts that began while earlier events of the user were open. After the test, each of these
   * earlier events must be dead.
   */
  readonly pendingChecks: { readonly eventId: string; readonly open: readonly string[] }[] = []

  readonly paused: (() => void)[] = []

  resume(): void {
    for (const goOn of this.paused.splice(0)) goOn()
  }

  async commit(node: Node, user: number, count: number): Promise<void> {
    ;(await this.pause(node, user, count))()
  }

  /** Commits events, and returns a function that delivers them. */
  async pause(node: Node, user: number, count: number): Promise<() => void> {
    const userId = `user${user}`
    const events = Array.from({ length: count }, () => {
      const eventId = `event-${String(++this.#events).padStart(5, '0')}`
      return revokedEvent(userId, this.now, eventId)
    })
    await this.#db.forUser(userId, this.now, true, async ({ tx }) => {
      await node.outbox.record(tx, events)
      this.committed.push(...events.map(({ eventId }) => ({ eventId, userId })))
    })
    return () => this.#run(node, node.outbox.deliverNew(events))
  }

  deliver(node: Node): void {
    this.#run(node, node.outbox.queue.runDue())
  }

  #run(node: Node, work: Promise<unknown>): void {
    const done = work
      .catch((error: unknown) => this.problems.push(String(error)))
      .finally(() => node.running.delete(done))
    node.running.add(done)
  }

  die(index: number): void {
    const node = this.nodes[index]
    if (!node) return
    node.isDead = true
    void node.outbox.stop()
    this.nodes[index] = this.#start()
  }

  /** Waits until all running work has ended, except attempts that hang. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    await this.readDead()
  }

  async readDead(): Promise<void> {
    const rows = await this.#database
      .executor(this.#database.kysely)
      .query("SELECT id FROM quillgate_device_job WHERE state = 'dead'")
    for (const row of rows) this.givenUp.add(String(row['id']))
  }

  async replay(): Promise<void> {
    await this.readDead()
    const [node] = this.nodes
    if (node && (await node.outbox.queue.replay(undefined)) > 0)
      for (const eventId of this.givenUp) this.replayed.add(eventId)
  }

  /** Ends hanging attempts, leases and pauses. Records events that are lost or out of order. */
  async finish(): Promise<void> {
    this.failures = this.refusals = this.hangs = 0
    for (const { node, end } of this.hanging.splice(0))
      end(node().isDead ? { kind: 'retry', error: 'dead' } : { kind: 'done' })
    for (let round = 0; round < 6; round++) {
      await this.settle()
      this.now += 30 * 3_600_000
      for (const node of this.nodes) this.deliver(node)
      if (round === 2) this.resume() // Other nodes have taken over the rows of the paused node.
    }
    await this.settle()
    for (const { eventId, open } of this.pendingChecks) {
      for (const id of open)
        if (!this.givenUp.has(id)) this.problems.push(`${eventId} was tried before ${id}`)
    }
    for (const { eventId, userId } of this.committed) {
      const isDelivered = this.delivered.get(userId)?.includes(eventId) ?? false
      if (!isDelivered && !this.givenUp.has(eventId)) this.problems.push(`${eventId} was lost`)
    }
  }
}

async function act(world: World, action: Step): Promise<void> {
  const nodeAt = (index: number): Node => world.nodes[index] as Node
  if (action.kind === 'commit') await world.commit(nodeAt(action.node), action.user, action.count)
  else if (action.kind === 'deliver') world.deliver(nodeAt(action.node))
  else if (action.kind === 'pause') {
    world.paused.push(await world.pause(nodeAt(action.node), action.user, action.count))
  } else if (action.kind === 'resume') world.resume()
  else if (action.kind === 'rush') {
    await Promise.all(world.nodes.map((node) => world.commit(node, action.user, 2)))
    for (const node of world.nodes) world.deliver(node)
  } else if (action.kind === 'fail') world.failures += action.times
  else if (action.kind === 'refuse') world.refusals++
  else if (action.kind === 'hang') world.hangs++
  else if (action.kind === 'die') world.die(action.node)
  else if (action.kind === 'clock') world.now += action.by
  else await world.replay()
}

const sequence = (each: fc.Arbitrary<Step>) =>
  fc.array(fc.tuple(each, fc.boolean()), { minLength: 1, maxLength: 30 })

async function run(
  steps: readonly (readonly [Step, boolean])[],
  look: (world: World) => void,
): Promise<void> {
  const world = new World()
  await world.open()
  try {
    for (const [action, isSettled] of steps) {
      await act(world, action)
      if (isSettled) await world.settle()
    }
    await world.finish()
    look(world)
  } finally {
    await world.close()
  }
}

describe('several relays on one outbox', () => {
  it('deliver each event at least once and in order per user, whatever fails, hangs, dies or changes the clock', {
    timeout: 120_000,
  }, async () => {
    const look = ({ problems }: World): void => expect(problems).toEqual([])
    await fc.assert(
      fc.asyncProperty(sequence(step), (steps) => run(steps, look)),
      { numRuns: 150, endOnFailure: true },
    )
  })

  it('deliver each event exactly once if nothing fails', { timeout: 120_000 }, async () => {
    const look = ({ problems, attempts, committed }: World): void => {
      expect(problems).toEqual([])
      expect(attempts).toBe(committed.length)
    }
    await fc.assert(
      fc.asyncProperty(sequence(work), (steps) => run(steps, look)),
      { numRuns: 50, endOnFailure: true },
    )
  })
})
