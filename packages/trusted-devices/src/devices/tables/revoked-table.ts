import { createHash } from 'node:crypto'
import { batchesOf } from '@quillgate/server/database'
import type { Expression, Kysely, Selectable, SqlBool } from 'kysely'
import { type DeviceRecord, toCountries } from './device-record.ts'
import type { DeviceRows } from './schema.ts'
import { NO_DETAILS, TrustedDevice } from './trusted-device.ts'

/**
 * A revoked device. The row is kept as long as a browser may still send the credential of the
 * device. Only these properties of `device` are stored: the uid, the owner, the name, the country,
 * the times and the permissions.
 */
export interface RevokedDevice
  extends Pick<
    DeviceRecord,
    'device' | 'credentialCounter' | 'credentialConfirmedAt' | 'countries'
  > {
  /**
   * True if the device was revoked for a harmless reason and no other device has replaced it. Its
   * browser may then sign in again without an alert.
   */
  readonly mayReturn: boolean
}

/** Milliseconds for which a revoked device is stored. Browsers keep no cookie for longer. */
export const REVOKED_DEVICE_AGE: number = 400 * 86_400_000

const REVOKED_DEVICES_PER_USER = 1000

type RevokedRow = Selectable<DeviceRows['deviceRevoked']>

/** The table of revoked devices. It stores whether the browser of a revoked device may return. */
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
   * Stores deleted devices of one user. Runs in the transaction that deleted them. Stores at most
   * the last {@link REVOKED_DEVICES_PER_USER} of them.
   */
  async remember(
    records: readonly DeviceRecord[],
    now: number,
    mayReturn: (uid: string) => boolean,
  ): Promise<void> {
    const rows = records
      .slice(-REVOKED_DEVICES_PER_USER)
      .map((record) => toRow(record, now, mayReturn(record.device.uid)))
    for (const batch of batchesOf(rows))
      await this.#rows.insertInto('deviceRevoked').values(batch).execute()
  }

  /**
   * Stores that a new device has replaced a revoked device. The browser of the revoked device can
   * then no longer return.
   */
  async replaced(uid: string, now: number): Promise<void> {
    const values = { mayReturn: false, revokedAt: now }
    await this.#rows.updateTable('deviceRevoked').set(values).where('uid', '=', uid).execute()
  }

  /**
   * Marks a user's revoked devices, so that their browsers are not recognized at the next login.
   *
   * @param which a condition on the columns of this table, or null for all revoked devices
   */
  async distrust(userId: string, which: Expression<SqlBool> | null = null): Promise<void> {
    const update = this.#rows.updateTable('deviceRevoked').set({ mayReturn: false })
    const ofUser = update.where('userId', '=', userId)
    await (which === null ? ofUser : ofUser.where(which)).execute()
  }

  async forget(revokedBefore: number): Promise<void> {
    const forget = this.#rows.deleteFrom('deviceRevoked')
    await forget.where('revokedAt', '<', revokedBefore).execute()
  }

  /**
   * Deletes the devices of one user that were revoked before a time. Keeps at most the newest
   * {@link REVOKED_DEVICES_PER_USER} other devices, so that a user cannot flood the table.
   */
  async forgetOf(userId: string, revokedBefore: number): Promise<void> {
    const surplus = this.#rows
      .selectFrom('deviceRevoked')
      .select('uid')
      .where('userId', '=', userId)
      .orderBy('revokedAt', 'desc')
      .orderBy('uid', 'desc')
      .limit(2 ** 31 - 1) // SQLite and MariaDB do not support OFFSET without LIMIT.
      .offset(REVOKED_DEVICES_PER_USER)
    await this.#rows
      .deleteFrom('deviceRevoked')
      .where('userId', '=', userId)
      .where((eb) =>
        eb.or([
          eb('revokedAt', '<', revokedBefore),
          // The subquery is nested, because MariaDB does not support LIMIT directly inside IN.
          eb('uid', 'in', eb.selectFrom(surplus.as('surplus')).select('surplus.uid')),
        ]),
      )
      .execute()
  }
}

/**
 * Returns the hash of a session id. The id itself is not stored, because the session may still be
 * valid in the application.
 */
function hashOf(sessionId: string): string {
  return createHash('sha256').update(sessionId).digest('base64url')
}

function toRow(record: DeviceRecord, now: number, mayReturn: boolean): RevokedRow {
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
