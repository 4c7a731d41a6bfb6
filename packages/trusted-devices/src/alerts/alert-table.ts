import { type Row, raw, type SqlExecutor, toNumber } from '@quillgate/server/database'
import { affectedBy, type DeviceDatabase, rowsOf } from '../devices/tables/device-database.ts'
import { createAlertCities } from './alert-cities.ts'
import { ALERT_KINDS, type AlertDetails, type AlertEvent, type AlertKind } from './alert-event.ts'

/** What a user answered to a mail. */
export type AlertAnswer = 'reported' | 'muted'

/** A stored alert. */
export interface StoredAlert extends AlertEvent {
  readonly answer: AlertAnswer | null
  /** Milliseconds since the epoch, or null. */
  readonly mutedUntil: number | null
}

/**
 * Alerts of users. `held`: to be told; `sending`: a process is at it, until `due_at`; `sent`; `skipped`: there was no
 * address; `failed`: given up. The row whose `event_id` is its own `mail_id` leads a mail, so these are the mails. All
 * times are milliseconds.
 */
export interface AlertTable {
  /** Keeps an event; false when it is there already. */
  insert(tx: SqlExecutor, event: AlertEvent, state: 'held' | 'sent', now: number): Promise<boolean>
  find(tx: SqlExecutor, eventId: string): Promise<StoredAlert | null>
  /** What waits for a user: the most serious and newest first. */
  waiting(tx: SqlExecutor, userId: string, now: number, limit: number): Promise<AlertEvent[]>
  countWaiting(tx: SqlExecutor, userId: string, now: number): Promise<number>
  /** When the mails after a time were begun, newest first. */
  mailsSince(tx: SqlExecutor, userId: string, since: number, now: number): Promise<number[]>
  /** All that waits is in this mail now, which must be done before `until`. */
  begin(tx: SqlExecutor, userId: string, mailId: string, now: number, until: number): Promise<void>
  /** All that waits shall be looked at again at this time. */
  defer(tx: SqlExecutor, userId: string, now: number, until: number): Promise<void>
  /** The mail is done: sent, or there was nobody to send it to. */
  done(tx: SqlExecutor, userId: string, mailId: string, state: 'sent' | 'skipped'): Promise<void>
  /** The mail failed: what is older than `giveUp` is not tried again. */
  failed(
    tx: SqlExecutor,
    userId: string,
    mailId: string,
    retryAt: number,
    giveUp: number,
  ): Promise<void>
  /** How often a mail was tried. */
  attempts(tx: SqlExecutor, mailId: string): Promise<number>
  /** Users for whom something is due. */
  dueUsers(tx: SqlExecutor, now: number, limit: number): Promise<string[]>
  /** When something will be due, or null. */
  nextDue(tx: SqlExecutor): Promise<number | null>
  isMuted(tx: SqlExecutor, userId: string, scope: string, now: number): Promise<boolean>
  /** Notes an answer; false when it was given before. A report cannot be taken back, and ends all that was muted. */
  answer(
    tx: SqlExecutor,
    userId: string,
    eventId: string,
    answer: AlertAnswer,
    mutedUntil: number | null,
  ): Promise<boolean>
  /** Takes a report back, for its hook failed. */
  unanswer(tx: SqlExecutor, eventId: string): Promise<void>
  /** Whether the user had an earlier device, living or remembered. */
  hadDeviceBefore(tx: SqlExecutor, userId: string, uid: string): Promise<boolean>
  /** Forgets what happened before a time, was told, and mutes nothing any more. @param userId null: of everybody */
  forget(tx: SqlExecutor, userId: string | null, before: number, now: number): Promise<void>
  /** Takes the cities out of what happened before a time. @returns out of how many */
  forgetCities(executor: SqlExecutor, before: number): Promise<number>
  countCities(executor: SqlExecutor, before: number): Promise<number>
  ofUser(tx: SqlExecutor, userId: string): Promise<Row[]>
  forgetUser(tx: SqlExecutor, userId: string): Promise<void>
}

/** Writes the statements. Those of one user run under the owner's lock. */
export function createAlertTable(db: DeviceDatabase): AlertTable {
  const { sql } = db
  const { alert, device, revoked } = db.tables
  const onConflict = (tx: SqlExecutor) =>
    raw(tx.dialect === 'mariadb' ? '' : ' ON CONFLICT DO NOTHING')
  const ignore = (tx: SqlExecutor) => raw(tx.dialect === 'mariadb' ? ' IGNORE' : '')
  const isOver = raw("state IN ('sent', 'skipped', 'failed')")
  const order = raw(
    `CASE kind ${ALERT_KINDS.map((kind, index) => `WHEN '${kind}' THEN ${index}`).join(' ')} END`,
  )
  return {
    async insert(tx, { eventId, userId, deviceUid, kind, scope, details, happenedAt }, state, now) {
      const written = await affectedBy(
        tx,
        sql`INSERT${ignore(tx)} INTO ${alert} (event_id, user_id, device_uid, kind, scope, details, happened_at, state,
            due_at, attempts)
          VALUES (${eventId}, ${userId}, ${deviceUid}, ${kind}, ${scope}, ${JSON.stringify(details)}, ${happenedAt},
            ${state}, ${now}, ${0})${onConflict(tx)}`,
      )
      return written > 0
    },
    async find(tx, eventId) {
      const [row] = await rowsOf(tx, sql`SELECT * FROM ${alert} WHERE event_id = ${eventId}`)
      return row ? toStoredAlert(row) : null
    },
    async waiting(tx, userId, now, limit) {
      const rows = await rowsOf(
        tx,
        sql`SELECT * FROM ${alert} WHERE user_id = ${userId}
            AND (state = 'held' OR (state = 'sending' AND due_at <= ${now}))
          ORDER BY ${order}, happened_at DESC, event_id DESC LIMIT ${limit}`,
      )
      return rows.map(toStoredAlert)
    },
    async countWaiting(tx, userId, now) {
      const [row] = await rowsOf(
        tx,
        sql`SELECT COUNT(*) AS waiting FROM ${alert} WHERE user_id = ${userId}
          AND (state = 'held' OR (state = 'sending' AND due_at <= ${now}))`,
      )
      return toNumber(row?.['waiting'])
    },
    async mailsSince(tx, userId, since, now) {
      const rows = await rowsOf(
        tx,
        sql`SELECT mailed_at FROM ${alert} WHERE user_id = ${userId} AND mail_id = event_id AND mailed_at > ${since}
          AND (state = 'sent' OR (state = 'sending' AND due_at > ${now})) ORDER BY mailed_at DESC`,
      )
      return rows.map((row) => toNumber(row['mailed_at']))
    },
    async begin(tx, userId, mailId, now, until) {
      await affectedBy(
        tx,
        sql`UPDATE ${alert} SET state = 'sending', mail_id = ${mailId}, mailed_at = ${now}, due_at = ${until},
            attempts = attempts + 1
          WHERE user_id = ${userId} AND (state = 'held' OR (state = 'sending' AND due_at <= ${now}))`,
      )
    },
    async defer(tx, userId, now, until) {
      await affectedBy(
        tx,
        sql`UPDATE ${alert} SET state = 'held', mail_id = NULL, mailed_at = NULL, due_at = ${until}
          WHERE user_id = ${userId} AND (state = 'held' OR (state = 'sending' AND due_at <= ${now}))`,
      )
    },
    async done(tx, userId, mailId, state) {
      await affectedBy(
        tx,
        sql`UPDATE ${alert} SET state = ${state} WHERE user_id = ${userId} AND mail_id = ${mailId} AND state = 'sending'`,
      )
    },
    async failed(tx, userId, mailId, retryAt, giveUp) {
      await affectedBy(
        tx,
        sql`UPDATE ${alert} SET state = CASE WHEN happened_at < ${giveUp} THEN 'failed' ELSE 'held' END, mail_id = NULL,
            mailed_at = NULL, due_at = ${retryAt}
          WHERE user_id = ${userId} AND mail_id = ${mailId} AND state = 'sending'`,
      )
    },
    async attempts(tx, mailId) {
      const [row] = await rowsOf(tx, sql`SELECT attempts FROM ${alert} WHERE event_id = ${mailId}`)
      return row ? toNumber(row['attempts']) : 1
    },
    async dueUsers(tx, now, limit) {
      const rows = await rowsOf(
        tx,
        sql`SELECT DISTINCT user_id FROM ${alert} WHERE state IN ('held', 'sending') AND due_at <= ${now} LIMIT ${limit}`,
      )
      return rows.map((row) => String(row['user_id']))
    },
    async nextDue(tx) {
      const [row] = await rowsOf(
        tx,
        sql`SELECT MIN(due_at) AS due_at FROM ${alert} WHERE state IN ('held', 'sending')`,
      )
      return row?.['due_at'] === null || row === undefined ? null : toNumber(row['due_at'])
    },
    async isMuted(tx, userId, scope, now) {
      const rows = await rowsOf(
        tx,
        sql`SELECT event_id FROM ${alert} WHERE user_id = ${userId} AND scope = ${scope} AND muted_until > ${now} LIMIT 1`,
      )
      return rows.length > 0
    },
    async answer(tx, userId, eventId, answer, mutedUntil) {
      // A report outdoes a mute, never the other way round.
      const open = raw(
        answer === 'reported' ? "(answer IS NULL OR answer = 'muted')" : 'answer IS NULL',
      )
      const changed = await affectedBy(
        tx,
        sql`UPDATE ${alert} SET answer = ${answer}, muted_until = ${mutedUntil}
          WHERE event_id = ${eventId} AND user_id = ${userId} AND ${open}`,
      )
      if (changed > 0 && answer === 'reported') {
        await affectedBy(tx, sql`UPDATE ${alert} SET muted_until = NULL WHERE user_id = ${userId}`)
      }
      return changed > 0
    },
    async unanswer(tx, eventId) {
      await affectedBy(
        tx,
        sql`UPDATE ${alert} SET answer = NULL WHERE event_id = ${eventId} AND answer = 'reported'`,
      )
    },
    async hadDeviceBefore(tx, userId, uid) {
      const rows = await rowsOf(
        tx,
        sql`SELECT uid FROM ${device} WHERE user_id = ${userId} AND uid < ${uid}
          UNION SELECT uid FROM ${revoked} WHERE user_id = ${userId} AND uid < ${uid} LIMIT 1`,
      )
      return rows.length > 0
    },
    async forget(tx, userId, before, now) {
      await affectedBy(
        tx,
        userId === null
          ? sql`DELETE FROM ${alert} WHERE happened_at < ${before} AND ${isOver} AND COALESCE(muted_until, 0) <= ${now}`
          : sql`DELETE FROM ${alert} WHERE user_id = ${userId} AND happened_at < ${before} AND ${isOver}
              AND COALESCE(muted_until, 0) <= ${now}`,
      )
    },
    ...createAlertCities(db),
    ofUser: (tx, userId) =>
      rowsOf(
        tx,
        sql`SELECT * FROM ${alert} WHERE user_id = ${userId} ORDER BY happened_at, event_id`,
      ),
    async forgetUser(tx, userId) {
      await affectedBy(tx, sql`DELETE FROM ${alert} WHERE user_id = ${userId}`)
    },
  }
}

/** Reads a row. */
export function toStoredAlert(row: Row): StoredAlert {
  return {
    eventId: String(row['event_id']),
    userId: String(row['user_id']),
    deviceUid: String(row['device_uid']),
    kind: String(row['kind']) as AlertKind,
    scope: String(row['scope']),
    details: JSON.parse(String(row['details'])) as AlertDetails,
    happenedAt: toNumber(row['happened_at']),
    answer: row['answer'] === null ? null : (String(row['answer']) as AlertAnswer),
    mutedUntil: row['muted_until'] === null ? null : toNumber(row['muted_until']),
  }
}
