import { invalidRequest, type UserId } from '@quillgate/server/core'
import {
  allOf,
  list,
  part,
  type SqlFragment,
  type SqlStatement,
  toNumber,
} from '@quillgate/server/database'
import { affectedBy, type DeviceDatabase, rowsOf } from '../devices/tables/device-database.ts'
import type { SignalName } from '../signals/signal-names.ts'
import { readFact } from './fact-json.ts'
import {
  type OutboxFilter,
  parseOutboxFilter,
  parseReplayFilter,
  type ReplayFilter,
} from './outbox-filter.ts'
import { type OutboxRow, type OutboxState, toOutboxRow } from './outbox-table.ts'

/** One event on its way to one destination. */
export interface OutboxEntry {
  readonly eventId: string
  /** `receivers`, or `webhook:` and the webhook's name. */
  readonly destination: string
  readonly signal: SignalName
  readonly userId: string
  /** What it is about; null for `login_refused`, and once it is delivered, because then nothing is kept of it. */
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
  replay(filter: ReplayFilter): Promise<number>
  /** @param known destinations that this process delivers to */
  prune(known: readonly string[], now: number): Promise<void>
}

/** What a log works with. */
export interface OutboxLogOptions {
  readonly db: DeviceDatabase
  readonly clock: () => number
  readonly toUserId: (id: UserId) => string
  /** Milliseconds, or null to keep everything. */
  readonly retention: number | null
}

const MAX_LIMIT = 100
const PRUNE_BATCH = 200 // Rows that one statement locks.

/** Writes the statements. */
export function createOutboxLog({ db, clock, toUserId, retention }: OutboxLogOptions): OutboxLog {
  const { sql, executor } = db
  const { outbox } = db.tables

  /** Changes rows that ended, or began to wait, before a moment, until there are none. */
  async function inBatches(
    state: OutboxState,
    condition: SqlFragment,
    before: number,
    change: (which: SqlFragment) => SqlStatement,
  ): Promise<void> {
    for (;;) {
      const old = part`state = ${state} AND next_attempt_at < ${before} AND ${condition}`
      const rows = await rowsOf(
        executor,
        sql`SELECT position FROM ${outbox} WHERE ${old} ORDER BY next_attempt_at LIMIT ${PRUNE_BATCH}`,
      )
      if (rows.length === 0) return
      const positions = list(rows.map((row) => toNumber(row['position'])))
      // Asked again: it may have been replayed meanwhile.
      await affectedBy(executor, change(part`position IN (${positions}) AND ${old}`))
      if (rows.length < PRUNE_BATCH) return
    }
  }

  return {
    async list(options = {}) {
      const { limit = 50, cursor = null, ...filter } = options
      if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
        throw invalidRequest(`limit must be a whole number from 1 to ${MAX_LIMIT}.`)
      }
      const after = cursor === null ? 0 : parseCursor(cursor)
      const condition = parseOutboxFilter(filter, toUserId)
      const found = await rowsOf(
        executor,
        sql`SELECT * FROM ${outbox} WHERE position > ${after} AND ${condition} ORDER BY position LIMIT ${limit + 1}`,
      )
      const rows = found.slice(0, limit).map(toOutboxRow)
      return {
        entries: rows.map(toEntry),
        nextCursor: found.length > limit ? String(rows.at(-1)?.position) : null,
      }
    },
    async replay(filter) {
      const condition = parseReplayFilter(filter, toUserId)
      return affectedBy(
        executor,
        sql`UPDATE ${outbox} SET state = 'pending', attempts = 0, next_attempt_at = ${clock()} WHERE ${condition}`,
      )
    },
    async prune(known, now) {
      if (retention === null) return
      const before = now - retention
      for (const state of ['delivered', 'dead'] as const) {
        await inBatches(
          state,
          allOf([]),
          before,
          (which) => sql`DELETE FROM ${outbox} WHERE ${which}`,
        )
      }
      // Of a webhook that was taken away, or receivers that no process has.
      const isAbandoned = part`destination NOT IN (${list(['', ...known])})`
      const giveUp = (which: SqlFragment): SqlStatement =>
        sql`UPDATE ${outbox} SET state = 'dead', next_attempt_at = ${now}, last_error = ${ABANDONED} WHERE ${which}`
      await inBatches('pending', isAbandoned, before, giveUp)
    },
  }
}

const ABANDONED = 'No process delivered to this destination within outboxRetention.'

function parseCursor(cursor: unknown): number {
  if (typeof cursor !== 'string' || !/^\d{1,15}$/.test(cursor))
    throw invalidRequest('cursor must be the nextCursor of the page before.')
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
    const { kind, device, reason } = readFact(payload)
    return { deviceUid: kind === 'refused' ? null : device.uid, reason }
  } catch {
    return { deviceUid: null, reason: null } // Delivered, or of another version.
  }
}
