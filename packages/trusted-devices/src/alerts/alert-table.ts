import type { SqlExecutor } from '@quillgate/server/database'
import type { Selectable } from 'kysely'
import type { DeviceDatabase } from '../devices/tables/device-database.ts'
import type { DeviceRows } from '../devices/tables/schema.ts'
import type { AlertAnswer, AlertDetails, AlertEvent, AlertState } from './alert-event.ts'

/** A stored alert. Times are milliseconds since the epoch. */
export interface StoredAlert extends AlertEvent {
  readonly state: AlertState
  readonly answer: AlertAnswer | null
  readonly mutedUntil: number | null
}

/** Alerts of users: what they were told, and what they answered. */
export interface AlertTable {
  /** Stores an event. Returns false if it is stored already. */
  insert(tx: SqlExecutor, event: AlertEvent, state: AlertState): Promise<boolean>
  find(tx: SqlExecutor, eventIds: readonly string[]): Promise<StoredAlert[]>
  /**
   * Returns when the mails after a time were begun, newest first, except those that some alerts
   * lead.
   */
  mailsSince(
    tx: SqlExecutor,
    userId: string,
    since: number,
    except: readonly string[],
  ): Promise<number[]>
  /** Records when the mail was begun that an alert leads; null: it was not sent. */
  setMailedAt(tx: SqlExecutor, eventIds: readonly string[], at: number | null): Promise<void>
  setState(tx: SqlExecutor, eventIds: readonly string[], state: AlertState): Promise<void>
  isMuted(tx: SqlExecutor, userId: string, scope: string, now: number): Promise<boolean>
  /**
   * Stores an answer. Returns false if it was given before. A report replaces "muted", and ends all
   * that was muted.
   */
  answer(
    tx: SqlExecutor,
    userId: string,
    eventId: string,
    answer: AlertAnswer,
    mutedUntil: number | null,
  ): Promise<boolean>
  /** Takes a report back, because its hook failed. */
  unanswer(tx: SqlExecutor, eventId: string): Promise<void>
  /** Returns whether the user had an earlier device, live or revoked. */
  hadDeviceBefore(tx: SqlExecutor, userId: string, uid: string): Promise<boolean>
  /**
   * Deletes what happened before a time and mutes nothing any more. @param userId null: of all
   * users
   */
  forget(tx: SqlExecutor, userId: string | null, before: number, now: number): Promise<void>
  /** Removes the cities from alerts of before a time. @returns from how many */
  forgetCities(executor: SqlExecutor, before: number): Promise<number>
  countCities(executor: SqlExecutor, before: number): Promise<number>
  ofUser(tx: SqlExecutor, userId: string): Promise<StoredAlert[]>
  forgetUser(tx: SqlExecutor, userId: string): Promise<void>
}

/** Creates the statements. Those of one user run under the owner's lock. */
export function createAlertTable(db: DeviceDatabase): AlertTable {
  return { ...mails(db), ...answers(db), ...retention(db) }
}

type Some<Name extends keyof AlertTable> = Pick<AlertTable, Name>

function mails({
  on,
}: DeviceDatabase): Some<
  'insert' | 'find' | 'mailsSince' | 'setMailedAt' | 'setState' | 'hadDeviceBefore'
> {
  return {
    async insert(tx, { details, ...event }, state) {
      const insert = on(tx)
        .insertInto('deviceAlert')
        .values({
          ...event,
          details: JSON.stringify(details),
          state,
          mailedAt: null,
          answer: null,
          mutedUntil: null,
        })
        .onConflict((conflict) => conflict.doNothing())
      return ((await insert.executeTakeFirst()).numInsertedOrUpdatedRows ?? 0n) > 0n
    },
    async find(tx, eventIds) {
      const select = on(tx).selectFrom('deviceAlert').selectAll().where('eventId', 'in', eventIds)
      return (await select.execute()).map(toStoredAlert)
    },
    async mailsSince(tx, userId, since, except) {
      const rows = await on(tx)
        .selectFrom('deviceAlert')
        .select('mailedAt')
        .where('userId', '=', userId)
        .where('mailedAt', '>', since)
        .where('eventId', 'not in', except)
        .orderBy('mailedAt', 'desc')
        .execute()
      return rows.flatMap(({ mailedAt }) => mailedAt ?? [])
    },
    async setMailedAt(tx, eventIds, mailedAt) {
      const update = on(tx).updateTable('deviceAlert').set({ mailedAt })
      await update.where('eventId', 'in', eventIds).execute()
    },
    async setState(tx, eventIds, state) {
      const update = on(tx).updateTable('deviceAlert').set({ state })
      await update.where('eventId', 'in', eventIds).execute()
    },
    async hadDeviceBefore(tx, userId, uid) {
      const revoked = on(tx)
        .selectFrom('deviceRevoked')
        .select('uid')
        .where('userId', '=', userId)
        .where('uid', '<', uid)
      const live = on(tx)
        .selectFrom('device')
        .select('uid')
        .where('userId', '=', userId)
        .where('uid', '<', uid)
      return (await live.unionAll(revoked).limit(1).execute()).length > 0
    },
  }
}

function answers({ on }: DeviceDatabase): Some<'isMuted' | 'answer' | 'unanswer'> {
  return {
    async isMuted(tx, userId, scope, now) {
      const rows = await on(tx)
        .selectFrom('deviceAlert')
        .select('eventId')
        .where('userId', '=', userId)
        .where('scope', '=', scope)
        .where('mutedUntil', '>', now)
        .limit(1)
        .execute()
      return rows.length > 0
    },
    async answer(tx, userId, eventId, answer, mutedUntil) {
      const update = on(tx)
        .updateTable('deviceAlert')
        .set({ answer, mutedUntil })
        .where('eventId', '=', eventId)
        .where('userId', '=', userId)
        .where((eb) =>
          answer === 'reported'
            ? eb.or([eb('answer', 'is', null), eb('answer', '=', 'muted')])
            : eb('answer', 'is', null),
        )
      const isChanged = (await update.executeTakeFirst()).numUpdatedRows > 0n
      if (isChanged && answer === 'reported') {
        const unmute = on(tx).updateTable('deviceAlert').set({ mutedUntil: null })
        await unmute.where('userId', '=', userId).execute()
      }
      return isChanged
    },
    async unanswer(tx, eventId) {
      await on(tx)
        .updateTable('deviceAlert')
        .set({ answer: null })
        .where('eventId', '=', eventId)
        .where('answer', '=', 'reported')
        .execute()
    },
  }
}

const BATCH = 200
const WITH_CITY = '%"city":"%' // In a text of the JSON these quotes would be escaped.

function retention({
  on,
}: DeviceDatabase): Some<'forget' | 'forgetCities' | 'countCities' | 'ofUser' | 'forgetUser'> {
  return {
    async forget(tx, userId, before, now) {
      const forget = on(tx)
        .deleteFrom('deviceAlert')
        .where('happenedAt', '<', before)
        .where((eb) => eb.or([eb('mutedUntil', 'is', null), eb('mutedUntil', '<=', now)]))
      await (userId === null ? forget : forget.where('userId', '=', userId)).execute()
    },
    async forgetCities(executor, before) {
      const select = on(executor)
        .selectFrom('deviceAlert')
        .select(['eventId', 'details'])
        .where('happenedAt', '<', before)
        .where('details', 'like', WITH_CITY)
        .limit(BATCH)
      let forgotten = 0
      for (;;) {
        const rows = await select.execute()
        for (const { eventId, details } of rows) {
          const reduced = { ...(JSON.parse(details) as AlertDetails), city: null }
          // Nothing else changes details, so no lock is needed.
          const update = on(executor)
            .updateTable('deviceAlert')
            .set({ details: JSON.stringify(reduced) })
            .where('eventId', '=', eventId)
          forgotten += Number((await update.executeTakeFirst()).numUpdatedRows)
        }
        if (rows.length < BATCH) return forgotten
      }
    },
    async countCities(executor, before) {
      const { found } = await on(executor)
        .selectFrom('deviceAlert')
        .select((eb) => eb.fn.countAll<number>().as('found'))
        .where('happenedAt', '<', before)
        .where('details', 'like', WITH_CITY)
        .executeTakeFirstOrThrow()
      return Number(found)
    },
    async ofUser(tx, userId) {
      const select = on(tx).selectFrom('deviceAlert').selectAll().where('userId', '=', userId)
      const rows = await select.orderBy('happenedAt').orderBy('eventId').execute()
      return rows.map(toStoredAlert)
    },
    async forgetUser(tx, userId) {
      await on(tx).deleteFrom('deviceAlert').where('userId', '=', userId).execute()
    },
  }
}

function toStoredAlert({
  details,
  mailedAt: _,
  ...row
}: Selectable<DeviceRows['deviceAlert']>): StoredAlert {
  return { ...row, details: JSON.parse(details) as AlertDetails }
}
