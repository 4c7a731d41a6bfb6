import { createHash } from 'node:crypto'
import type { SqlExecutor } from '@quillgate/server/database'
import type { Expression, Selectable, SqlBool } from 'kysely'
import { TrustedDevice } from '../trusted-device.ts'
import type { DeviceDatabase } from './device-database.ts'
import { type DeviceRecord, toCountries } from './device-record.ts'
import type { DeviceRows } from './schema.ts'

/** A device that was revoked: what its credential may still say. */
export interface RevokedDevice {
  /** The stored properties: uid, owner, name, country, times and permissions. */
  readonly device: TrustedDevice
  /** Position of its newest device credential. */
  readonly credentialCounter: number
  /**
   * When it was shown that the newest one had arrived, in milliseconds since the epoch; null: it
   * never was.
   */
  readonly credentialConfirmedAt: number | null
  /** The known countries of its logins. */
  readonly countries: readonly string[]
  /** Whether it ended harmlessly, and no other device took its place since. */
  readonly mayReturn: boolean
}

/** How long a credential can come back: browsers keep no cookie for longer. In milliseconds. */
export const REVOKED_DEVICE_AGE: number = 400 * 86_400_000

/** The most revoked devices of one user that are kept. */
export const REVOKED_DEVICES_PER_USER = 1000

/** A device that was just deleted. */
export interface EndedDevice {
  readonly record: DeviceRecord
  /** Whether it ended harmlessly. */
  readonly mayReturn: boolean
}

type RevokedRow = Selectable<DeviceRows['deviceRevoked']>

const ROWS_PER_INSERT = 250 // Times fourteen columns: below every engine's limit of parameters.

/**
 * Remembers revoked devices, so that a credential does not speak for a device that was revoked for
 * a reason.
 */
export interface RevokedDevices {
  /** The revoked device with this uid, or null. */
  find(tx: SqlExecutor, uid: string): Promise<RevokedDevice | null>
  /** Whether a revoked device of a user belonged to this session of the application. */
  hadSession(tx: SqlExecutor, userId: string, sessionId: string): Promise<boolean>
  /**
   * Remembers devices of one user that were deleted in the same transaction: of very many, the last
   * ones.
   *
   * @param now milliseconds since the epoch
   */
  remember(tx: SqlExecutor, ended: readonly EndedDevice[], now: number): Promise<void>
  /**
   * Notes that a new device took the place of this one: its credential is not trusted a second
   * time.
   */
  replaced(tx: SqlExecutor, uid: string, now: number): Promise<void>
  /**
   * Makes some revoked devices of a user strangers, whose credential gives nothing back.
   *
   * @param which a condition on the columns of this table; by default all
   */
  distrust(tx: SqlExecutor, userId: string, which?: Expression<SqlBool> | null): Promise<void>
  /**
   * Users, sorted by id, with revoked devices that may return. @param which a condition on the
   * columns of this table
   */
  ownersOfReturning(
    tx: SqlExecutor,
    which: Expression<SqlBool>,
    after: string,
    limit: number,
  ): Promise<string[]>
  /** Forgets devices that were revoked before a time. */
  forget(tx: SqlExecutor, revokedBefore: number): Promise<void>
  /**
   * Does the same for one user, and keeps only the newest {@link REVOKED_DEVICES_PER_USER}, so that
   * the table cannot be flooded.
   */
  forgetOf(tx: SqlExecutor, userId: string, revokedBefore: number): Promise<void>
  /** Deletes the revoked devices of a user. */
  forgetUser(tx: SqlExecutor, userId: string): Promise<void>
}

/** Creates the statements of an instance. */
export function createRevokedDevices(db: DeviceDatabase): RevokedDevices {
  return { ...memory(db), ...changes(db) }
}

function memory({ on }: DeviceDatabase): Pick<RevokedDevices, 'find' | 'hadSession' | 'remember'> {
  return {
    async find(tx, uid) {
      const select = on(tx).selectFrom('deviceRevoked').selectAll().where('uid', '=', uid)
      const row = await select.executeTakeFirst()
      return row ? toRevokedDevice(row) : null
    },
    async hadSession(tx, userId, sessionId) {
      const rows = await on(tx)
        .selectFrom('deviceRevoked')
        .select('uid')
        .where('userId', '=', userId)
        .where('sessionHash', '=', hashOf(sessionId))
        .execute()
      return rows.length > 0
    },
    async remember(tx, ended, now) {
      const rows = ended.slice(-REVOKED_DEVICES_PER_USER).map((device) => toRow(device, now))
      for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
        const some = rows.slice(start, start + ROWS_PER_INSERT)
        await on(tx).insertInto('deviceRevoked').values(some).execute()
      }
    },
  }
}

function changes({ on }: DeviceDatabase): Omit<RevokedDevices, 'find' | 'hadSession' | 'remember'> {
  return {
    async replaced(tx, uid, now) {
      const update = on(tx).updateTable('deviceRevoked').set({ mayReturn: false, revokedAt: now })
      await update.where('uid', '=', uid).execute()
    },
    async distrust(tx, userId, which = null) {
      const update = on(tx).updateTable('deviceRevoked').set({ mayReturn: false })
      const ofUser = update.where('userId', '=', userId)
      await (which === null ? ofUser : ofUser.where(which)).execute()
    },
    async ownersOfReturning(tx, which, after, limit) {
      const rows = await on(tx)
        .selectFrom('deviceRevoked')
        .select('userId')
        .distinct()
        .where('userId', '>', after)
        .where('mayReturn', '=', true)
        .where(which)
        .orderBy('userId')
        .limit(limit)
        .execute()
      return rows.map(({ userId }) => userId)
    },
    async forget(tx, revokedBefore) {
      const forget = on(tx).deleteFrom('deviceRevoked')
      await forget.where('revokedAt', '<', revokedBefore).execute()
    },
    async forgetOf(tx, userId, revokedBefore) {
      const surplus = on(tx)
        .selectFrom('deviceRevoked')
        .select('uid')
        .where('userId', '=', userId)
        .orderBy('revokedAt', 'desc')
        .orderBy('uid', 'desc')
        .limit(2 ** 31 - 1) // No engine but PostgreSQL has OFFSET without LIMIT.
        .offset(REVOKED_DEVICES_PER_USER)
      await on(tx)
        .deleteFrom('deviceRevoked')
        .where('userId', '=', userId)
        .where((eb) =>
          eb.or([
            eb('revokedAt', '<', revokedBefore),
            // A SELECT within a SELECT, because MariaDB accepts no LIMIT in the SELECT of IN.
            eb('uid', 'in', eb.selectFrom(surplus.as('surplus')).select('surplus.uid')),
          ]),
        )
        .execute()
    },
    async forgetUser(tx, userId) {
      await on(tx).deleteFrom('deviceRevoked').where('userId', '=', userId).execute()
    },
  }
}

/** Hashes the id of a session, because the store of the application may still have the session. */
function hashOf(sessionId: string): string {
  return createHash('sha256').update(sessionId).digest('base64url')
}

function toRow({ record, mayReturn }: EndedDevice, now: number): RevokedRow {
  const { device, credentialCounter, credentialConfirmedAt, countries, sessionId } = record
  const { uid, userId, name, country, createdAt, lastSeenAt, canDeleteOthers, canEditOthers } =
    device
  return {
    ...{ uid, userId, name, country, canDeleteOthers, canEditOthers },
    ...{ credentialCounter, credentialConfirmedAt, mayReturn },
    countries: JSON.stringify(countries),
    createdAt: createdAt.getTime(),
    lastSeenAt: lastSeenAt.getTime(),
    revokedAt: now,
    sessionHash: sessionId === null ? null : hashOf(sessionId),
  }
}

function toRevokedDevice({ createdAt, lastSeenAt, countries, ...row }: RevokedRow): RevokedDevice {
  return {
    device: new TrustedDevice({
      ...row,
      city: null,
      address: null,
      lastAddress: null,
      userAgent: '',
      browser: null,
      os: null,
      deviceType: null,
      createdAt: new Date(createdAt),
      lastSeenAt: new Date(lastSeenAt),
    }),
    credentialCounter: row.credentialCounter,
    credentialConfirmedAt: row.credentialConfirmedAt,
    countries: toCountries(countries),
    mayReturn: row.mayReturn,
  }
}
