import { list, toNumber } from '@quillgate/database'
import { ConfigurationError, invalidRequest } from '@quillgate/http'
import { affectedBy, type DeviceDatabase, rowsOf } from '../devices/device-database.ts'
import type { SignalName } from '../signals/signal-names.ts'
import { readFact } from './fact-json.ts'
import { type OutboxRow, type OutboxState, toOutboxRow } from './outbox-table.ts'

/** One event on its way to one destination. */
export interface OutboxEntry {
  readonly eventId: string
  /** `receivers`, or `webhook:` and the webhook's name. */
  readonly destination: string
  readonly signal: SignalName
  readonly userId: string
  /** What it is about; null once it is delivered, for then nothing is kept of it. */
  readonly deviceUid: string | null
  readonly reason: string | null
  /** When it happened. */
  readonly at: Date
  readonly state: OutboxState
  /** Attempts that were begun. */
  readonly attempts: number
  /** Of a pending entry: not before this; of others: when it ended. */
  readonly nextAttemptAt: Date
  readonly lastError: string | null
}

/** Which entries. What is absent does not matter. */
export interface OutboxFilter {
  readonly state?: OutboxState
  readonly destination?: string
  readonly userId?: string | number
  readonly eventId?: string
}

/** Which part of a list to give. */
export interface OutboxListOptions extends OutboxFilter {
  /** 1 to 100. @default 50 */
  readonly limit?: number
  /** `nextCursor` of the page before. */
  readonly cursor?: string | null
}

/** A part of the outbox, oldest first. */
export interface OutboxPage {
  readonly entries: OutboxEntry[]
  readonly nextCursor: string | null
}

/** Looks at the outbox and keeps it small. */
export interface OutboxLog {
  list(options?: OutboxListOptions): Promise<OutboxPage>
  replay(filter?: Omit<OutboxFilter, 'state'>): Promise<number>
  prune(known: readonly string[], now: number): Promise<void>
}

const MAX_LIMIT = 100
const STATES: readonly OutboxState[] = ['pending', 'delivered', 'dead']

/** Writes the statements. @param retention milliseconds, or null to keep everything */
export function createOutboxLog(db: DeviceDatabase, clock: () => number, retention: number | null): OutboxLog {
  const { sql, executor } = db
  const { outbox } = db.tables
  return {
    async list({ limit = 50, cursor = null, ...filter } = {}) {
      if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
        throw invalidRequest(`limit must be a whole number from 1 to ${MAX_LIMIT}.`)
      }
      const after = cursor === null ? 0 : parseCursor(cursor)
      const { state, destination, userId, eventId } = checked(filter)
      const found = await rowsOf(
        executor,
        sql`SELECT * FROM ${outbox} WHERE position > ${after} AND state = COALESCE(${state}, state)
          AND destination = COALESCE(${destination}, destination)
          AND user_id = COALESCE(${userId}, user_id)
          AND event_id = COALESCE(${eventId}, event_id)
          ORDER BY position LIMIT ${limit + 1}`,
      )
      const rows = found.slice(0, limit).map(toOutboxRow)
      return {
        entries: rows.map(toEntry),
        nextCursor: found.length > limit ? String(rows.at(-1)?.position) : null,
      }
    },
    replay(filter = {}) {
      const { destination, userId, eventId } = checked(filter)
      return affectedBy(
        executor,
        sql`UPDATE ${outbox} SET state = 'pending', attempts = 0, next_attempt_at = ${clock()}
          WHERE state = 'dead'
            AND destination = COALESCE(${destination}, destination)
            AND user_id = COALESCE(${userId}, user_id)
            AND event_id = COALESCE(${eventId}, event_id)`,
      )
    },
    async prune(known, now) {
      if (retention === null) return
      const before = now - retention
      await affectedBy(
        executor,
        sql`DELETE FROM ${outbox} WHERE state IN ('delivered', 'dead') AND next_attempt_at < ${before}`,
      )
      // Of a webhook that was taken away, or receivers that no process has.
      await affectedBy(
        executor,
        sql`UPDATE ${outbox} SET state = 'dead', next_attempt_at = ${now}, last_error = ${ABANDONED}
          WHERE state = 'pending' AND next_attempt_at < ${before} AND destination NOT IN (${list(['', ...known])})`,
      )
    },
  }
}

const ABANDONED = 'No process delivered to this destination within outboxRetention.'

function checked({ state, destination, userId, eventId }: OutboxFilter) {
  if (state !== undefined && !STATES.includes(state)) {
    throw new ConfigurationError('state', `must be one of: ${STATES.join(', ')}`, state)
  }
  return {
    state: state ?? null,
    destination: destination ?? null,
    userId: userId === undefined ? null : String(userId),
    eventId: eventId === undefined ? null : eventId.toLowerCase(),
  }
}

function parseCursor(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor)) throw invalidRequest('cursor must be the nextCursor of the page before.')
  return toNumber(cursor)
}

function toEntry(row: OutboxRow): OutboxEntry {
  const { eventId, destination, signal, userId, state, attempts, lastError } = row
  return {
    ...{ eventId, destination, signal, userId, state, attempts, lastError },
    ...subjectOf(row),
    at: new Date(row.happenedAt),
    nextAttemptAt: new Date(row.nextAttemptAt),
  }
}

function subjectOf({ payload }: OutboxRow): Pick<OutboxEntry, 'deviceUid' | 'reason'> {
  try {
    const { device, reason } = readFact(payload)
    return { deviceUid: device.uid, reason }
  } catch {
    return { deviceUid: null, reason: null } // Delivered, or of another version.
  }
}
