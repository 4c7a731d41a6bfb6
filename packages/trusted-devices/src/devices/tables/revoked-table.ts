import { createHash } from 'node:crypto'
import { batchesOf } from '@quillgate/server/database'
import type { Expression, Kysely, Selectable, SqlBool } from 'kysely'
import { NO_DETAILS, TrustedDevice } from '../trusted-device.ts'
import { type DeviceRecord, toCountries } from './device-record.ts'
import type { DeviceRows } from './schema.ts'

/** A device that was revoked, as long as its credential can come back. */
export interface RevokedDevice {
  /** The stored properties: uid, owner, name, country, times and permissions. */
  readonly device: TrustedDevice
  /** Position of its newest device credential. */
  readonly credentialCounter: number
  /** When the newest one was first used, in milliseconds since the epoch; null: never. */
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
  /** True if it logged out itself, or was removed for its age or a limit: it can return. */
  readonly mayReturn: boolean
}

type RevokedRow = Selectable<DeviceRows['deviceRevoked']>

/** The revoked devices, so that a credential does not return a device that was revoked for a reason. */
export class RevokedTable {
  readonly #rows: Kysely<DeviceRows>

  constructor(rows: Kysely<DeviceRows>) {
    this.#rows = rows
  }

  async find(uid: string): Promise<RevokedDevice | null> {
    const select = this.#rows.selectFrom('deviceRevoked').selectAll().where('uid', '=', uid)
    const row = await select.executeTakeFirst()
    return row ? toRevokedDevice(row) : null
  }

  /** Returns whether a revoked device of a user belonged to this session of the application. */
  async hadSession(userId: string, sessionId: string): Promise<boolean> {
    const rows = await this.#rows
      .selectFrom('deviceRevoked')
      .select('uid')
      .where('userId', '=', userId)
      .where('sessionHash', '=', hashOf(sessionId))
      .execute()
    return rows.length > 0
  }

  /**
   * Remembers devices of one user that were deleted in the same transaction. If there are very
   * many, remembers the last ones.
   *
   * @param now milliseconds since the epoch
   */
  async remember(ended: readonly EndedDevice[], now: number): Promise<void> {
    const rows = ended.slice(-REVOKED_DEVICES_PER_USER).map((device) => toRow(device, now))
    for (const batch of batchesOf(rows))
      await this.#rows.insertInto('deviceRevoked').values(batch).execute()
  }

  /** Stores that a new device took the place of this one, so that it cannot return again. */
  async replaced(uid: string, now: number): Promise<void> {
    const values = { mayReturn: false, revokedAt: now }
    await this.#rows.updateTable('deviceRevoked').set(values).where('uid', '=', uid).execute()
  }

  /**
   * Stores that revoked devices of a user may no longer return.
   *
   * @param which a condition on the columns of this table; by default all
   */
  async distrust(userId: string, which: Expression<SqlBool> | null = null): Promise<void> {
    const update = this.#rows.updateTable('deviceRevoked').set({ mayReturn: false })
    const ofUser = update.where('userId', '=', userId)
    await (which === null ? ofUser : ofUser.where(which)).execute()
  }

  /** Returns users, sorted by id, with revoked devices that may return. */
  async ownersOfReturning(
    which: Expression<SqlBool>,
    after: string,
    limit: number,
  ): Promise<string[]> {
    const rows = await this.#rows
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
  }

  /** Forgets devices that were revoked before a time. */
  async forget(revokedBefore: number): Promise<void> {
    const forget = this.#rows.deleteFrom('deviceRevoked')
    await forget.where('revokedAt', '<', revokedBefore).execute()
  }

  /**
   * Does the same for one user, and keeps only the newest {@link REVOKED_DEVICES_PER_USER}, so that
   * the table cannot be flooded.
   */
  async forgetOf(userId: string, revokedBefore: number): Promise<void> {
    const surplus = this.#rows
      .selectFrom('deviceRevoked')
      .select('uid')
      .where('userId', '=', userId)
      .orderBy('revokedAt', 'desc')
      .orderBy('uid', 'desc')
      .limit(2 ** 31 - 1) // No engine but PostgreSQL has OFFSET without LIMIT.
      .offset(REVOKED_DEVICES_PER_USER)
    await this.#rows
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
  }

  async forgetUser(userId: string): Promise<void> {
    await this.#rows.deleteFrom('deviceRevoked').where('userId', '=', userId).execute()
  }
}

/** Hashes the id of a session, because the store of the application may still have the session. */
function hashOf(sessionId: string): string {
  return createHash('sha256').update(sessionId).digest('base64url')
}

function toRow({ record, mayReturn }: EndedDevice, now: number): RevokedRow {
  const { device, credentialCounter, credentialConfirmedAt, countries, sessionId } = record
  const { uid, userId, name, country, canDeleteOthers, canEditOthers } = device
  return {
    ...{ uid, userId, name, country, canDeleteOthers, canEditOthers },
    ...{ credentialCounter, credentialConfirmedAt, mayReturn },
    countries: JSON.stringify(countries),
    createdAt: device.createdAt.getTime(),
    lastSeenAt: device.lastSeenAt.getTime(),
    revokedAt: now,
    sessionHash: sessionId === null ? null : hashOf(sessionId),
  }
}

function toRevokedDevice(row: RevokedRow): RevokedDevice {
  const { credentialCounter, credentialConfirmedAt, mayReturn } = row
  return {
    device: new TrustedDevice({
      ...row,
      ...NO_DETAILS,
      createdAt: new Date(row.createdAt),
      lastSeenAt: new Date(row.lastSeenAt),
    }),
    ...{ credentialCounter, credentialConfirmedAt, mayReturn },
    countries: toCountries(row.countries),
  }
}
