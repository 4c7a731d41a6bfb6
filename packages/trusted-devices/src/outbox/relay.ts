import type { DeviceFact } from '../devices/facts.ts'
import type { DeletedUser, User } from '../devices/user.ts'
import { createSemaphore, type Semaphore } from '../semaphore.ts'
import type { Destination } from './destination.ts'
import { type DeliveryReport, deliverTurn, leaseOf, type QueueParts } from './queue.ts'
import { type FreshFacts, moveBack } from './queue-claims.ts'

/** Delivers to one destination what is in the outbox. Destinations know nothing of each other, and none waits for another. */
export interface Relay {
  /** Whether this process can deliver more of a user at once, or must leave it to the rounds. */
  hasRoom(userId: string): boolean
  /** Delivers facts of one user that this process has committed. Fulfils when they are delivered or given up; does not reject. */
  deliverFresh(facts: readonly DeviceFact[], user: User | DeletedUser | undefined): Promise<void>
  /** Begins whatever is due, and waits for a place for it, but not for its end. @throws what the database threw */
  beginDue(): Promise<void>
  /** Delivers whatever is due, until nothing is. @throws what the database threw */
  deliverDue(): Promise<DeliveryReport>
  /** Begins nothing any more. */
  stop(): void
  /** Waits for what is under way. */
  settle(): Promise<void>
}

/** What a relay works with. */
export interface RelayOptions extends Omit<QueueParts, 'isStopping'> {
  readonly destination: Destination
  /** Hears of what the database threw while nobody waited for it. */
  readonly onError: (error: unknown) => void
}

/** Queues of one destination that a process delivers at once. */
const AT_ONCE = 10
/** Queues that wait in memory for one of these places. */
const MOST_WAITING = 100
/** Facts of one queue that wait in memory. */
const MOST_FRESH = 1000
const QUEUES_PER_READ = 100

/** Work on one queue; there is one at a time in a process. */
interface QueueWork {
  readonly fresh: FreshFacts
  running: Promise<DeliveryReport>
}

type OnWork = (running: Promise<DeliveryReport>) => void

/** Creates a relay that delivers nothing by itself. */
export function createRelay({ destination, onError, ...parts }: RelayOptions): Relay {
  const works = new Map<string, QueueWork>()
  const places = createSemaphore(AT_ONCE)
  let isStopping = false
  const queueParts = { ...parts, isStopping: () => isStopping }

  /** Begins work on a queue that nobody works on. @param place one that it has already */
  function begin(userId: string, fresh: FreshFacts, place?: () => void): Promise<DeliveryReport> {
    const entry: QueueWork = { fresh, running: Promise.resolve(NOTHING) }
    works.set(userId, entry)
    const takeTurn = () => deliverTurn(queueParts, destination, userId, fresh)
    const giveWay = () =>
      moveBack(parts.table, { userId, destination: destination.name }, parts.clock())
    const done = (): void => void works.delete(userId) // At once: nobody may join a work that looks no more.
    entry.running = takeTurns({ places, takeTurn, giveWay, fresh, done }, place)
    return entry.running
  }

  /** @param onBegun gets the end of each queue's work @param onPresent of what is due and under way already */
  async function look(onBegun: OnWork, onPresent: OnWork = () => {}): Promise<void> {
    const idle = new Set<string>() // Of which nothing could be had: they would be found again and again.
    let hasFailed = false
    const isToEnd = (): boolean => isStopping || hasFailed || !destination.isOpen()
    while (!isToEnd()) {
      const found = await parts.table.findDue(destination.name, parts.clock(), QUEUES_PER_READ)
      for (const userId of found) {
        const present = works.get(userId)
        if (present) onPresent(present.running)
      }
      const due = found.filter((userId) => !works.has(userId) && !idle.has(userId))
      if (due.length === 0) return
      for (const userId of due) {
        const place = await places.acquire()
        if (isToEnd()) return place()
        if (works.has(userId)) place()
        else {
          const running = begin(userId, new Map(), place)
          const noteIdle = (report: DeliveryReport): void =>
            void (countOf(report) === 0 && idle.add(userId))
          running.then(noteIdle, () => {
            hasFailed = true
          })
          onBegun(running)
        }
      }
    }
  }

  return {
    hasRoom(userId) {
      const present = works.get(userId)
      return present ? present.fresh.size < MOST_FRESH : places.waiting < MOST_WAITING
    },
    async deliverFresh(facts, user) {
      const [first] = facts
      if (!first) return
      const present = works.get(first.userId)
      const fresh: FreshFacts = present?.fresh ?? new Map()
      for (const fact of facts) {
        fresh.set(fact.eventId, {
          fact,
          user,
          leaseEnd: fact.at.getTime() + leaseOf(parts.timeout),
        })
      }
      await (present?.running ?? begin(first.userId, fresh)).then(() => {}, onError)
    },
    beginDue: () => look((running) => void running.catch(onError)),
    async deliverDue() {
      let total = NOTHING
      for (;;) {
        const all = new Set<Promise<DeliveryReport>>()
        const add: OnWork = (running) => void all.add(running)
        await look(add, add)
        const report = sum(await Promise.all(all))
        if (countOf(report) === 0) return total
        total = sum([total, report])
      }
    },
    stop() {
      isStopping = true
    },
    async settle() {
      await Promise.allSettled([...works.values()].map(({ running }) => running))
    },
  }
}

/** What taking turns needs. */
interface Turns {
  readonly places: Semaphore
  readonly takeTurn: () => ReturnType<typeof deliverTurn>
  readonly giveWay: () => Promise<void>
  readonly fresh: FreshFacts
  readonly done: () => void
}

/**
 * Delivers a queue turn by turn; between them others come first. It ends when there is nothing more, or when others wait
 * and what is left was not committed here: it is found again by the next look.
 */
async function takeTurns(
  { places, takeTurn, giveWay, fresh, done }: Turns,
  first?: () => void,
): Promise<DeliveryReport> {
  const reports: DeliveryReport[] = []
  try {
    for (let place = first ?? (await places.acquire()); ; place = await places.acquire()) {
      const turn = await takeTurn().finally(place)
      reports.push(turn)
      if (turn.hasMore && fresh.size === 0 && places.waiting > 0) await giveWay()
      else if (turn.hasMore || fresh.size > 0) continue // Or committed after the last look.
      if (fresh.size === 0) return sum(reports)
    }
  } finally {
    done()
  }
}

const NOTHING: DeliveryReport = { delivered: 0, retrying: 0, dead: 0 }

/** All of them together. */
export function sum(reports: readonly DeliveryReport[]): DeliveryReport {
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
