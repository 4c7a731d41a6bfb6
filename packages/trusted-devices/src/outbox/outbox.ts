import type { UserId } from '@quillgate/server/core'
import type { SqlExecutor } from '@quillgate/server/database'
import type { DeviceFact } from '../devices/facts.ts'
import type { DeviceDatabase } from '../devices/tables/device-database.ts'
import type { DeletedUser, User } from '../devices/user.ts'
import { SIGNAL_OF } from '../signals/signal-names.ts'
import type { Destination } from './destination.ts'
import { writeFact } from './fact-json.ts'
import { createOutboxLog, type OutboxLog } from './outbox-log.ts'
import { createOutboxTable, type NewOutboxRow } from './outbox-table.ts'
import { type DeliveryReport, leaseOf } from './queue.ts'
import { createRelay, type Relay, sum } from './relay.ts'
import { createRounds } from './rounds.ts'
import { createRoutes, type Routes } from './routes.ts'

/** Keeps facts in the database until they are delivered. */
export interface Outbox extends Pick<OutboxLog, 'list' | 'replay'> {
  /** Writes facts into the transaction that made them true, one row for each destination. */
  record(tx: SqlExecutor, facts: readonly DeviceFact[]): Promise<void>
  /** Whether facts were committed; null when no destination wants them, so that nothing was written. */
  isRecorded(tx: SqlExecutor, facts: readonly DeviceFact[]): Promise<boolean | null>
  /** Delivers what was just committed, and waits for the awaited destinations. Does not reject. */
  deliverFresh(facts: readonly DeviceFact[], user: User | DeletedUser | undefined): Promise<void>
  /** Delivers what is due, and removes what was kept long enough. */
  deliver(): Promise<DeliveryReport>
  /** Begins to deliver from time to time what others left. */
  start(): void
  /** Begins nothing any more; what is under way goes on. */
  stop(): void
  /** Waits for what is under way. */
  settle(): Promise<void>
}

/** What an outbox is made of. */
export interface OutboxOptions {
  readonly db: DeviceDatabase
  readonly destinations: readonly Destination[]
  readonly toUserId: (id: UserId) => string
  readonly clock: () => number
  readonly random: () => number
  readonly attempts: number
  /** Seconds that one attempt may take. */
  readonly timeout: number
  /** Seconds between looks for what others left; null: never. */
  readonly interval: number | null
  /** Seconds; null: for ever. */
  readonly retention: number | null
  /** Hears of what the database threw while nobody waited for it. */
  readonly onError: (error: unknown) => void
}

const PRUNE_INTERVAL = 3_600_000

/** Joins the parts. */
export function createOutbox({
  db,
  destinations,
  toUserId,
  clock,
  random,
  onError,
  ...settings
}: OutboxOptions): Outbox {
  const table = createOutboxTable(db)
  const timeout = settings.timeout * 1000
  const retention = settings.retention === null ? null : settings.retention * 1000
  const log = createOutboxLog({ db, clock, toUserId, retention })
  const relayParts = { table, clock, random, attempts: settings.attempts, timeout, onError }
  const relays = new Map(
    destinations.map(
      (destination) => [destination, createRelay({ destination, ...relayParts })] as const,
    ),
  )
  const routes = createRoutes(
    destinations,
    (to, userId) => relays.get(to)?.hasRoom(userId) ?? false,
  )
  let prunedAt = Number.NEGATIVE_INFINITY

  async function prune(): Promise<void> {
    const now = clock()
    if (Math.abs(now - prunedAt) < PRUNE_INTERVAL) return
    prunedAt = now
    const open = destinations.filter((destination) => destination.isOpen())
    const names = open.map(({ name }) => name)
    await log.prune(names, now)
  }
  // Each by itself, so that none waits for another.
  const works = [...[...relays.values()].map(({ beginDue }) => beginDue), prune]
  const rounds = works.map((work) => createRounds(work, settings.interval, random, onError))

  return {
    list: log.list,
    replay: log.replay,
    record: (tx, facts) => table.insert(tx, rowsFor(facts, routes, leaseOf(timeout))),
    async isRecorded(tx, facts) {
      const written = facts
        .filter((fact) => routes.of(fact).length > 0)
        .map(({ eventId }) => eventId)
      return written.length === 0 ? null : table.has(tx, written)
    },
    deliverFresh: (facts, user) => deliverFresh(relays, routes, facts, user),
    async deliver() {
      const report = sum(await Promise.all([...relays.values()].map((relay) => relay.deliverDue())))
      await prune()
      return report
    },
    start() {
      for (const each of rounds) each.start()
    },
    stop() {
      for (const each of [...rounds, ...relays.values()]) each.stop()
    },
    async settle() {
      await Promise.all([...rounds, ...relays.values()].map((each) => each.settle()))
    },
  }
}

async function deliverFresh(
  relays: ReadonlyMap<Destination, Relay>,
  routes: Routes,
  facts: readonly DeviceFact[],
  user: User | DeletedUser | undefined,
): Promise<void> {
  const awaited: Promise<void>[] = []
  for (const [destination, relay] of relays) {
    const isOurs = (fact: DeviceFact): boolean =>
      routes.of(fact).some((route) => route.isOurs && route.destination === destination)
    const done = relay.deliverFresh(facts.filter(isOurs), user)
    if (destination.isAwaited) awaited.push(done)
  }
  await Promise.all(awaited)
}

function rowsFor(facts: readonly DeviceFact[], routes: Routes, lease: number): NewOutboxRow[] {
  return facts.flatMap((fact) => {
    const ways = routes.decide(fact)
    if (ways.length === 0) return []
    const payload = writeFact(fact)
    const happenedAt = fact.at.getTime()
    const signal = SIGNAL_OF[fact.kind]
    return ways.map(({ destination, isOurs }) => ({
      ...{
        eventId: fact.eventId,
        userId: fact.userId,
        destination: destination.name,
        signal,
        payload,
        happenedAt,
      },
      attempts: isOurs ? 1 : 0,
      nextAttemptAt: isOurs ? happenedAt + lease : happenedAt,
    }))
  })
}
