import type { DeviceFact } from '../devices/facts.ts'
import type { DeletedUser, User } from '../devices/user.ts'
import { SIGNAL_OF } from '../signals/signal-names.ts'
import type { Destination } from './destination.ts'
import type { QueueName } from './outbox-table.ts'
import { createPlaces, type Places } from './places.ts'
import { type DeliveryReport, deliverQueue, leaseOf, type QueueParts } from './queue.ts'
import type { FreshFacts } from './queue-claims.ts'

/** Delivers what is in the outbox. */
export interface Relay {
  /** Delivers facts that this process has committed, and waits for the awaited destinations. Does not reject. */
  deliverFresh(facts: readonly DeviceFact[], user: User | DeletedUser | undefined): Promise<void>
  /** Delivers whatever is due, until nothing is. @throws what the database threw */
  deliverDue(): Promise<DeliveryReport>
  /** Begins nothing any more. */
  stop(): void
  /** Waits for what is under way. */
  settle(): Promise<void>
}

/** What a relay works with. */
export interface RelayOptions extends Omit<QueueParts, 'isStopping'> {
  readonly destinations: readonly Destination[]
  /** Hears of what the database threw while nobody waited for it. */
  readonly onError: (error: unknown) => void
}

/** Queues of one destination that a process delivers at once. */
const AT_ONCE = 10
const QUEUES_PER_READ = 100

/** Work on one queue; there is one at a time in a process. */
interface QueueWork {
  readonly fresh: FreshFacts
  running: Promise<DeliveryReport>
}

/** Creates a relay that delivers nothing by itself. */
export function createRelay({ destinations, onError, ...parts }: RelayOptions): Relay {
  const works = new Map<string, QueueWork>()
  const places = new Map<Destination, Places>(destinations.map((destination) => [destination, createPlaces(AT_ONCE)]))
  let isStopping = false
  const queueParts = { ...parts, isStopping: () => isStopping }

  async function work(key: string, destination: Destination, userId: string, fresh: FreshFacts) {
    const deliver = () => deliverQueue(queueParts, destination, userId, fresh)
    try {
      let report = await (places.get(destination)?.run(deliver) ?? deliver())
      // Committed after the last look.
      while (fresh.size > 0) report = sum([report, await deliver()])
      return report
    } finally {
      works.delete(key) // At once: nobody may join a work that looks no more.
    }
  }

  /** Delivers one queue, or joins whoever does. */
  function deliverOne(destination: Destination, userId: string, add: (fresh: FreshFacts) => void = () => {}) {
    const key = `${destination.name}\n${userId}`
    const present = works.get(key)
    if (present) {
      add(present.fresh)
      return present.running
    }
    const fresh: FreshFacts = new Map()
    add(fresh)
    const entry: QueueWork = { fresh, running: Promise.resolve(NOTHING) }
    works.set(key, entry)
    entry.running = work(key, destination, userId, fresh)
    return entry.running
  }

  async function deliverDueOnce(): Promise<DeliveryReport> {
    const open = new Map(destinations.filter((each) => each.isOpen()).map((each) => [each.name, each]))
    if (open.size === 0) return NOTHING
    const due = await parts.table.findDue([...open.keys()], parts.clock(), QUEUES_PER_READ)
    const reports = due.map(({ destination, userId }: QueueName) => {
      const known = open.get(destination)
      return known ? deliverOne(known, userId) : NOTHING
    })
    return sum(await Promise.all(reports))
  }

  return {
    async deliverFresh(facts, user) {
      const [first] = facts
      if (!first) return
      const running = destinations
        .filter((destination) => destination.isOpen())
        .map(async (destination) => {
          const wanted = facts.filter(({ kind }) => destination.wants(SIGNAL_OF[kind]))
          if (wanted.length === 0) return
          const add = (fresh: FreshFacts): void => {
            for (const fact of wanted) {
              fresh.set(fact.eventId, { fact, user, leaseEnd: fact.at.getTime() + leaseOf(parts.timeout) })
            }
          }
          const done = deliverOne(destination, first.userId, add).then(() => {}, onError)
          if (destination.isAwaited) await done
        })
      await Promise.all(running)
    },
    async deliverDue() {
      let total = NOTHING
      for (let report = await deliverDueOnce(); countOf(report) > 0; report = await deliverDueOnce()) {
        total = sum([total, report])
      }
      return total
    },
    stop() {
      isStopping = true
    },
    async settle() {
      await Promise.allSettled([...works.values()].map(({ running }) => running))
    },
  }
}

const NOTHING: DeliveryReport = { delivered: 0, retrying: 0, dead: 0 }

function sum(reports: readonly DeliveryReport[]): DeliveryReport {
  const total = { ...NOTHING } as { -readonly [Key in keyof DeliveryReport]: number }
  for (const report of reports) {
    total.delivered += report.delivered
    total.retrying += report.retrying
    total.dead += report.dead
  }
  return total
}

function countOf({ delivered, retrying, dead }: DeliveryReport): number {
  return delivered + retrying + dead
}
