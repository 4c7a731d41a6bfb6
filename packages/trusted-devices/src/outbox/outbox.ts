import type { SqlExecutor } from '@quillgate/database'
import type { DeviceDatabase } from '../devices/device-database.ts'
import type { DeviceFact } from '../devices/facts.ts'
import type { DeletedUser, User } from '../devices/user.ts'
import { SIGNAL_OF } from '../signals/signal-names.ts'
import type { Destination } from './destination.ts'
import { writeFact } from './fact-json.ts'
import { createOutboxLog, type OutboxLog } from './outbox-log.ts'
import { createOutboxTable, type NewOutboxRow } from './outbox-table.ts'
import { type DeliveryReport, leaseOf } from './queue.ts'
import { createRelay } from './relay.ts'
import { createRounds } from './rounds.ts'

/** Keeps facts in the database until they are delivered. */
export interface Outbox extends Pick<OutboxLog, 'list' | 'replay'> {
  /** Writes facts into the transaction that made them true, one row for each destination. */
  record(tx: SqlExecutor, facts: readonly DeviceFact[]): Promise<void>
  /** Whether facts were committed. */
  isRecorded(tx: SqlExecutor, facts: readonly DeviceFact[]): Promise<boolean>
  /** Delivers what was just committed. Does not reject. */
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
export function createOutbox({ db, destinations, clock, random, onError, ...settings }: OutboxOptions): Outbox {
  const table = createOutboxTable(db)
  const timeout = settings.timeout * 1000
  const log = createOutboxLog(db, clock, settings.retention === null ? null : settings.retention * 1000)
  const relay = createRelay({ table, destinations, clock, random, attempts: settings.attempts, timeout, onError })
  let prunedAt = Number.NEGATIVE_INFINITY

  async function deliver(): Promise<DeliveryReport> {
    const report = await relay.deliverDue()
    const now = clock()
    if (Math.abs(now - prunedAt) >= PRUNE_INTERVAL) {
      prunedAt = now
      const open = destinations.filter((destination) => destination.isOpen())
      await log.prune(
        open.map(({ name }) => name),
        now,
      )
    }
    return report
  }
  const rounds = createRounds(deliver, settings.interval, random, onError)

  return {
    list: log.list,
    replay: log.replay,
    record: (tx, facts) => table.insert(tx, rowsFor(facts, destinations, leaseOf(timeout))),
    isRecorded: (tx, facts) =>
      table.has(
        tx,
        facts.map(({ eventId }) => eventId),
      ),
    deliverFresh: relay.deliverFresh,
    deliver,
    start: rounds.start,
    stop() {
      rounds.stop()
      relay.stop()
    },
    async settle() {
      await rounds.settle()
      await relay.settle()
    },
  }
}

/** The first attempt begins with the commit, where this process can make it. */
function rowsFor(facts: readonly DeviceFact[], destinations: readonly Destination[], lease: number): NewOutboxRow[] {
  return facts.flatMap((fact) => {
    const signal = SIGNAL_OF[fact.kind]
    const wanting = destinations.filter((destination) => destination.wants(signal))
    if (wanting.length === 0) return []
    const payload = writeFact(fact)
    const happenedAt = fact.at.getTime()
    return wanting.map((destination) => {
      const isOpen = destination.isOpen()
      return {
        ...{ eventId: fact.eventId, userId: fact.userId, destination: destination.name, signal, payload, happenedAt },
        attempts: isOpen ? 1 : 0,
        nextAttemptAt: isOpen ? happenedAt + lease : happenedAt,
      }
    })
  })
}
