import {
  column,
  type Database,
  defineTables,
  type MigrationSet,
  type RowsOf,
  type SqlExecutor,
  table,
} from '@quillgate/server/database'
import { createJobTable, type JobTable } from '@quillgate/server/jobs'
import type { UserData } from '@quillgate/trusted-devices'
import type { Kysely, Selectable } from 'kysely'
import type { Alert, AlertDetails, AlertKind } from './alert.ts'

/** The answer of a user to a mail. */
export type AlertAnswer = 'reported' | 'muted'

// Times are milliseconds since the epoch.
const definitions = {
  /** One row per user with alerts: the lock that makes changes of one user wait. */
  loginAlertOwner: table({ userId: column.text(255), changes: column.integer() }, ['userId']),
  /** One row per event. */
  loginAlert: table(
    {
      eventId: column.id(36),
      userId: column.text(255),
      deviceUid: column.id(36),
      kind: column.word<AlertKind>(16),
      scope: column.id(32),
      /** JSON, without the city. */
      details: column.longText(),
      city: column.text(100).orNull(),
      happenedAt: column.integer(),
      /** When the mail that this alert leads was begun. Null for others, and if it was not sent. */
      mailedAt: column.integer().orNull(),
      /** Whether that mail is about several sign-ins. */
      isSummary: column.boolean(),
      answer: column.word<AlertAnswer>(16).orNull(),
      mutedUntil: column.integer().orNull(),
    },
    ['eventId'],
    [
      { name: 'user', columns: ['userId', 'happenedAt'] },
      { name: 'old', columns: ['happenedAt'] },
    ],
  ),
}

const tables = defineTables(definitions)
type AlertRows = RowsOf<typeof definitions>

const mailTable = (prefix: string): JobTable => createJobTable(`${prefix}login_alert_`)

/** The schema of this component. */
export const loginAlertMigrations: MigrationSet = {
  component: 'login-alerts',
  migrations: [
    {
      name: '0001_login_alerts',
      statements: (dialect, prefix) => [
        ...tables.createStatements(dialect, prefix),
        ...mailTable(prefix).createStatements(dialect),
      ],
    },
  ],
}

/** A stored alert. */
export interface StoredAlert extends Omit<Selectable<AlertRows['loginAlert']>, 'details' | 'city'> {
  readonly details: AlertDetails
}

/** The alerts of users, their mails, and the answers. */
export class AlertStore {
  /** The jobs of the mails. */
  readonly mails: JobTable
  readonly executor: SqlExecutor
  /** For statements that a power failure may undo. */
  readonly relaxed: SqlExecutor
  readonly #database: Database
  readonly #prefix: string

  constructor(database: Database, prefix: string) {
    this.#database = database
    this.#prefix = prefix
    this.mails = mailTable(prefix)
    this.executor = database.executor(database.kysely)
    this.relaxed = database.executor(database.kysely, { durable: false })
  }

  #on(executor: SqlExecutor = this.executor): Kysely<AlertRows> {
    return tables.on(executor, this.#prefix)
  }

  /** Runs `work` in a transaction that holds the lock of a user. It may run again. */
  forUser<Result>(userId: string, work: (tx: SqlExecutor) => Promise<Result>): Promise<Result> {
    return this.#database.transaction(async (trx) => {
      const tx = this.#database.executor(trx)
      await this.#on(tx)
        .insertInto('loginAlertOwner')
        .values({ userId, changes: 1 })
        .onConflict((conflict) =>
          conflict
            .column('userId')
            .doUpdateSet((eb) => ({ changes: eb('loginAlertOwner.changes', '+', 1) })),
        )
        .execute()
      return work(tx)
    })
  }

  /** Stores an alert. Returns false if it is stored already. */
  async insert(tx: SqlExecutor, { details, ...alert }: Alert): Promise<boolean> {
    const { city, ...others } = details
    const unanswered = { mailedAt: null, isSummary: false, answer: null, mutedUntil: null }
    const { numInsertedOrUpdatedRows = 0n } = await this.#on(tx)
      .insertInto('loginAlert')
      .values({ ...alert, ...unanswered, details: JSON.stringify(others), city })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    return numInsertedOrUpdatedRows > 0n
  }

  async find(eventIds: readonly string[]): Promise<StoredAlert[]> {
    const select = this.#on().selectFrom('loginAlert').selectAll()
    return (await select.where('eventId', 'in', eventIds).execute()).map(toStored)
  }

  async ofUser(tx: SqlExecutor, userId: string): Promise<StoredAlert[]> {
    const select = this.#on(tx).selectFrom('loginAlert').selectAll().where('userId', '=', userId)
    return (await select.orderBy('happenedAt').orderBy('eventId').execute()).map(toStored)
  }

  /** Returns whether the user has muted such devices. */
  async isMuted(tx: SqlExecutor, userId: string, scope: string, now: number): Promise<boolean> {
    const found = await this.#on(tx)
      .selectFrom('loginAlert')
      .select('eventId')
      .where('userId', '=', userId)
      .where('scope', '=', scope)
      .where('mutedUntil', '>', now)
      .limit(1)
      .executeTakeFirst()
    return found !== undefined
  }

  /** Returns when the mails after a time were begun, newest first, without those of some alerts. */
  async mailsSince(
    tx: SqlExecutor,
    userId: string,
    since: number,
    except: readonly string[],
  ): Promise<number[]> {
    const rows = await this.#on(tx)
      .selectFrom('loginAlert')
      .select('mailedAt')
      .where('userId', '=', userId)
      .where('mailedAt', '>', since)
      .where('eventId', 'not in', except)
      .orderBy('mailedAt', 'desc')
      .execute()
    return rows.flatMap(({ mailedAt }) => mailedAt ?? [])
  }

  /** Records that mails of alerts were begun, or with `mailedAt: null` that they were not sent. */
  async markMailed(
    eventIds: readonly string[],
    mail: { readonly mailedAt: number | null; readonly isSummary?: boolean },
    tx?: SqlExecutor,
  ): Promise<void> {
    const update = this.#on(tx).updateTable('loginAlert').set(mail)
    await update.where('eventId', 'in', eventIds).execute()
  }

  /** Records "this was me". Returns false if the user answered before. */
  async mute(eventId: string, mutedUntil: number): Promise<boolean> {
    const update = this.#on()
      .updateTable('loginAlert')
      .set({ answer: 'muted', mutedUntil })
      .where('eventId', '=', eventId)
      .where('answer', 'is', null)
    return (await update.executeTakeFirst()).numUpdatedRows > 0n
  }

  /**
   * Records "this wasn't me", which unmutes all devices of the user. Returns false if it was
   * recorded before.
   */
  report({ eventId, userId }: Pick<Alert, 'eventId' | 'userId'>): Promise<boolean> {
    return this.forUser(userId, async (tx) => {
      const { numUpdatedRows } = await this.#on(tx)
        .updateTable('loginAlert')
        .set({ answer: 'reported' })
        .where('eventId', '=', eventId)
        .where((eb) => eb.or([eb('answer', 'is', null), eb('answer', '=', 'muted')]))
        .executeTakeFirst()
      if (numUpdatedRows === 0n) return false
      const unmute = this.#on(tx).updateTable('loginAlert').set({ mutedUntil: null })
      await unmute.where('userId', '=', userId).execute()
      return true
    })
  }

  /** Removes an answer, so that it can be given again. */
  async unanswer(eventId: string): Promise<void> {
    const update = this.#on().updateTable('loginAlert').set({ answer: null })
    await update.where('eventId', '=', eventId).execute()
  }

  /** Deletes alerts from before a time that mute nothing, and cities from before another time. */
  async prune(before: number, citiesBefore: number, now: number): Promise<void> {
    await this.#on()
      .deleteFrom('loginAlert')
      .where('happenedAt', '<', before)
      .where((eb) => eb.or([eb('mutedUntil', 'is', null), eb('mutedUntil', '<=', now)]))
      .execute()
    await this.#on()
      .updateTable('loginAlert')
      .set({ city: null })
      .where('happenedAt', '<', citiesBefore)
      .where('city', 'is not', null)
      .execute()
  }

  async forgetUser(tx: SqlExecutor, userId: string): Promise<void> {
    await this.mails.on(tx).deleteFrom('job').where('jobKey', '=', userId).execute()
    for (const name of ['loginAlert', 'loginAlertOwner'] as const)
      await this.#on(tx).deleteFrom(name).where('userId', '=', userId).execute()
  }
}

function toStored({ details, city, ...row }: Selectable<AlertRows['loginAlert']>): StoredAlert {
  return { ...row, details: { ...JSON.parse(details), city } as AlertDetails }
}

/** Returns the alerts as personal data that can be exported and erased. */
export function userData(store: AlertStore): UserData {
  return {
    name: 'login_alerts',
    async export(tx, userId) {
      return (await store.ofUser(tx, userId)).map(({ details, ...alert }) => ({
        event_id: alert.eventId,
        device_uid: alert.deviceUid,
        kind: alert.kind,
        happened_at: toText(alert.happenedAt),
        name: details.name,
        browser: details.browser,
        os: details.os,
        city: details.city,
        country: details.country,
        previous_countries: details.previousCountries,
        mailed_at: toText(alert.mailedAt),
        answer: alert.answer,
        muted_until: toText(alert.mutedUntil),
      }))
    },
    erase: (tx, userId) => store.forgetUser(tx, userId),
  }
}

function toText(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}
