import {
  list,
  type Row,
  raw,
  type SqlExecutor,
  type SqlStatement,
  type SqlValue,
  toNumber,
  tuples,
} from '@quillgate/server/database'
import { affectedBy, type DeviceDatabase, rowsOf } from '../devices/tables/device-database.ts'
import type { SignalName } from '../signals/signal-names.ts'
import { LONGEST_WAIT } from './backoff.ts'

/** `pending`: to be delivered; `delivered`; `dead`: given up. */
export type OutboxState = 'pending' | 'delivered' | 'dead'

/** One event for one destination. Times are milliseconds since the epoch. */
export interface OutboxRow {
  /** Grows; of one user's rows it is their order. */
  readonly position: number
  readonly eventId: string
  readonly destination: string
  readonly userId: string
  readonly signal: SignalName
  /** Of `writeFact`; empty of a delivered row. */
  readonly payload: string
  readonly happenedAt: number
  readonly state: OutboxState
  /** Attempts that were begun: the compare-and-set of whoever begins the next one. */
  readonly attempts: number
  /** Not to be tried before: the end of a pause, or of somebody's lease. Of other states: when it ended. */
  readonly nextAttemptAt: number
  readonly lastError: string | null
}

/** A row that is not there yet. */
export type NewOutboxRow = Omit<OutboxRow, 'position' | 'state' | 'lastError'>

/** The events of one user for one destination, which are delivered one after the other. */
export interface QueueName {
  readonly userId: string
  readonly destination: string
}

/**
 * Reads and writes the outbox. A row is leased by its `nextAttemptAt` in the future, and `attempts` says whose lease it is:
 * whoever writes on a row that somebody else has taken since changes nothing.
 */
export interface OutboxTable {
  insert(tx: SqlExecutor, rows: readonly NewOutboxRow[]): Promise<void>
  /** Whether any of these events is there. */
  has(tx: SqlExecutor, eventIds: readonly string[]): Promise<boolean>
  /** The first pending rows of a queue. */
  findQueue(queue: QueueName, limit: number): Promise<OutboxRow[]>
  /** Users whose first pending row for a destination may be tried now, those that wait longest first. */
  findDue(destination: string, now: number, limit: number): Promise<string[]>
  /** Begins an attempt on the first row of a queue; false when somebody else did. */
  claim(row: OutboxRow, leaseEnd: number): Promise<boolean>
  /** Begins attempts on the rows behind a claimed one; false when somebody else has one of them. */
  claimMore(rows: readonly OutboxRow[], now: number, leaseEnd: number): Promise<boolean>
  /** Makes a free row due since now only. */
  moveBack(row: OutboxRow, now: number): Promise<void>
  /** Makes a lease longer; false when it was lost. */
  extend(positions: readonly number[], leaseEnd: number, newEnd: number): Promise<boolean>
  /** Gives leased rows back that were not tried. */
  release(positions: readonly number[], leaseEnd: number, nextAttemptAt: number): Promise<void>
  /** Gives rows back that the transaction which wrote them had leased. */
  releaseEvents(queue: QueueName, eventIds: readonly string[], nextAttemptAt: number): Promise<void>
  markDelivered(positions: readonly number[], now: number): Promise<void>
  /** Notes a failed attempt, unless another one has begun. */
  markFailed(position: number, attempts: number, failure: Failure): Promise<void>
}

/** What becomes of a row after an attempt failed. */
export interface Failure {
  readonly state: 'pending' | 'dead'
  readonly nextAttemptAt: number
  readonly error: string
}

const BATCH = 200 // Below every engine's limit of parameters.
const COLUMNS = raw(
  'event_id, destination, user_id, signal_name, payload, happened_at, state, attempts, next_attempt_at',
)

/** Writes the statements. */
export function createOutboxTable({
  sql,
  tables: { outbox },
  undurable: db,
}: DeviceDatabase): OutboxTable {
  const affected = (statement: SqlStatement): Promise<number> => affectedBy(db, statement)
  return {
    async insert(tx, rows) {
      for (const batch of batchesOf(rows)) {
        await affectedBy(
          tx,
          sql`INSERT INTO ${outbox} (${COLUMNS}) VALUES ${tuples(batch.map(valuesOf))}`,
        )
      }
    },
    async has(tx, eventIds) {
      const some = list(eventIds.slice(0, BATCH)) // They were written together.
      return (
        (await rowsOf(tx, sql`SELECT event_id FROM ${outbox} WHERE event_id IN (${some}) LIMIT 1`))
          .length > 0
      )
    },
    async findQueue({ userId, destination }, limit) {
      const rows = await rowsOf(
        db,
        sql`SELECT * FROM ${outbox} WHERE user_id = ${userId} AND destination = ${destination} AND state = 'pending'
          ORDER BY position LIMIT ${limit}`,
      )
      return rows.map(toOutboxRow)
    },
    async findDue(destination, now, limit) {
      const rows = await rowsOf(
        db,
        sql`SELECT user_id FROM ${outbox} o
          WHERE state = 'pending' AND destination = ${destination}
            AND (next_attempt_at <= ${now} OR next_attempt_at > ${now + LONGEST_WAIT})
            AND NOT EXISTS (SELECT 1 FROM ${outbox} e WHERE e.user_id = o.user_id AND e.destination = o.destination
              AND e.state = 'pending' AND e.position < o.position)
          ORDER BY next_attempt_at, position LIMIT ${limit}`,
      )
      return rows.map((row) => String(row['user_id']))
    },
    async claim({ position, attempts }, leaseEnd) {
      return (
        (await affected(
          sql`UPDATE ${outbox} SET attempts = attempts + 1, next_attempt_at = ${leaseEnd}
            WHERE position = ${position} AND state = 'pending' AND attempts = ${attempts}`,
        )) > 0
      )
    },
    async claimMore(rows, now, leaseEnd) {
      const claimed = await affected(
        sql`UPDATE ${outbox} SET attempts = attempts + 1, next_attempt_at = ${leaseEnd}
          WHERE position IN (${list(rows.map(({ position }) => position))}) AND state = 'pending'
            AND (attempts = 0 OR next_attempt_at <= ${now} OR next_attempt_at > ${now + LONGEST_WAIT})`,
      )
      return claimed === rows.length
    },
    async moveBack({ position, attempts }, now) {
      await affected(
        sql`UPDATE ${outbox} SET next_attempt_at = ${now}
          WHERE position = ${position} AND state = 'pending' AND attempts = ${attempts}`,
      )
    },
    async extend(positions, leaseEnd, newEnd) {
      const extended = await affected(
        sql`UPDATE ${outbox} SET next_attempt_at = ${newEnd}
          WHERE position IN (${list(positions)}) AND state = 'pending' AND next_attempt_at = ${leaseEnd}`,
      )
      return extended === positions.length
    },
    async release(positions, leaseEnd, nextAttemptAt) {
      if (positions.length === 0) return
      await affected(
        sql`UPDATE ${outbox} SET attempts = attempts - 1, next_attempt_at = ${nextAttemptAt}
          WHERE position IN (${list(positions)}) AND state = 'pending' AND next_attempt_at = ${leaseEnd}`,
      )
    },
    async releaseEvents({ userId, destination }, eventIds, nextAttemptAt) {
      for (const batch of batchesOf(eventIds)) {
        await affected(
          sql`UPDATE ${outbox} SET attempts = 0, next_attempt_at = ${nextAttemptAt}
            WHERE user_id = ${userId} AND destination = ${destination} AND event_id IN (${list(batch)})
              AND state = 'pending' AND attempts = 1`,
        )
      }
    },
    async markDelivered(positions, now) {
      for (const batch of batchesOf(positions)) {
        // Also when it is dead by now: it arrived. What was in it is nobody's business any more.
        await affected(
          sql`UPDATE ${outbox} SET state = 'delivered', next_attempt_at = ${now}, payload = '', last_error = NULL
            WHERE position IN (${list(batch)}) AND state <> 'delivered'`,
        )
      }
    },
    async markFailed(position, attempts, { state, nextAttemptAt, error }) {
      await affected(
        sql`UPDATE ${outbox} SET state = ${state}, next_attempt_at = ${nextAttemptAt}, last_error = ${error}
          WHERE position = ${position} AND state = 'pending' AND attempts = ${attempts}`,
      )
    },
  }
}

function valuesOf(row: NewOutboxRow): SqlValue[] {
  const { eventId, destination, userId, signal, payload, happenedAt, attempts, nextAttemptAt } = row
  return [
    eventId,
    destination,
    userId,
    signal,
    payload,
    happenedAt,
    'pending',
    attempts,
    nextAttemptAt,
  ]
}

/** Reads a row. */
export function toOutboxRow(row: Row): OutboxRow {
  return {
    position: toNumber(row['position']),
    eventId: String(row['event_id']),
    destination: String(row['destination']),
    userId: String(row['user_id']),
    signal: String(row['signal_name']) as SignalName,
    payload: String(row['payload']),
    happenedAt: toNumber(row['happened_at']),
    state: String(row['state']) as OutboxState,
    attempts: toNumber(row['attempts']),
    nextAttemptAt: toNumber(row['next_attempt_at']),
    lastError: row['last_error'] === null ? null : String(row['last_error']),
  }
}

function* batchesOf<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH)
}
