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

// Times are milliseconds since the epoch.
const definitions = {
  /**
   * One row for each user with alerts. A transaction locks the row, so the transactions of a user
   * run one after the other.
   */
  loginAlertOwner: table({ userId: column.text(255), changes: column.integer() }, ['userId']),
  /** One row for each alert, with the id of its event. */
  loginAlert: table(
    {
      eventId: column.id(36),
      userId: column.text(255),
      deviceUid: column.id(36),
      kind: column.word<AlertKind>(16),
      /** The {@link AlertDetails} as JSON. */
      details: column.longText(),
      happenedAt: column.integer(),
      /**
       * Set only for the most serious alert of a mail: the time at which sending began. If sending
       * fails, the earlier value is restored.
       */
      mailedAt: column.integer().orNull(),
      /** The number of attempts that count towards the limit per hour. */
      mails: column.integer(),
      isReported: column.boolean(),
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

/** The migrations that create the tables of login alerts. */
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
export interface StoredAlert extends Omit<Selectable<AlertRows['loginAlert']>, 'details'> {
  readonly details: AlertDetails
}

/** Stores alerts, the times of their mails, and the reports of users. */
export class AlertStore {
  readonly mails: JobTable
  readonly executor: SqlExecutor
  /** Runs statements without waiting for the disk. A power failure may undo them. */
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

  /** Runs `work` in a transaction that locks a user's row. After a deadlock, `work` runs again. */
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

  /** Stores an alert. Returns false if it is already stored. */
  async insert(tx: SqlExecutor, { details, ...alert }: Alert): Promise<boolean> {
    const { numInsertedOrUpdatedRows = 0n } = await this.#on(tx)
      .insertInto('loginAlert')
      .values({
        ...alert,
        mailedAt: null,
        mails: 0,
        isReported: false,
        details: JSON.stringify(details),
      })
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

  /**
   * Returns one time for each attempt that counts towards the limit per hour, newest first. All
   * attempts about one alert have the time of its latest attempt.
   */
  async mailsSince(tx: SqlExecutor, userId: string, since: number): Promise<number[]> {
    const rows = await this.#on(tx)
      .selectFrom('loginAlert')
      .select(['mailedAt', 'mails'])
      .where('userId', '=', userId)
      .where('mailedAt', '>', since)
      .orderBy('mailedAt', 'desc')
      .execute()
    return rows.flatMap(({ mailedAt, mails }) => Array(mails).fill(mailedAt))
  }

  async markMailed(
    { eventId }: Alert,
    { mailedAt, mails }: Pick<StoredAlert, 'mailedAt' | 'mails'>,
    tx?: SqlExecutor,
  ): Promise<void> {
    const update = this.#on(tx).updateTable('loginAlert').set({ mailedAt, mails })
    await update.where('eventId', '=', eventId).execute()
  }

  /**
   * Records or clears the report of the user ("This wasn't me"). Returns false if nothing changes.
   */
  async markReported(eventId: string, isReported: boolean): Promise<boolean> {
    const update = this.#on()
      .updateTable('loginAlert')
      .set({ isReported })
      .where('eventId', '=', eventId)
      .where('isReported', '=', !isReported)
    return (await update.executeTakeFirst()).numUpdatedRows > 0n
  }

  async prune(before: number): Promise<void> {
    await this.#on().deleteFrom('loginAlert').where('happenedAt', '<', before).execute()
  }

  async forgetUser(tx: SqlExecutor, userId: string): Promise<void> {
    await this.mails.on(tx).deleteFrom('job').where('jobKey', '=', userId).execute()
    for (const name of ['loginAlert', 'loginAlertOwner'] as const)
      await this.#on(tx).deleteFrom(name).where('userId', '=', userId).execute()
  }
}

function toStored({ details, ...row }: Selectable<AlertRows['loginAlert']>): StoredAlert {
  return { ...row, details: JSON.parse(details) as AlertDetails }
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
        browser: details.browser,
        os: details.os,
        city: details.city,
        country: details.country,
        previous_countries: details.previousCountries,
        mailed_at: toText(alert.mailedAt),
        reported: alert.isReported,
      }))
    },
    erase: (tx, userId) => store.forgetUser(tx, userId),
  }
}

function toText(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}
