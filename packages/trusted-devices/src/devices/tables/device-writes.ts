import type { SqlExecutor } from '@quillgate/server/database'
import type { Expression, SqlBool, UpdateQueryBuilder, UpdateResult } from 'kysely'
import { levelOf } from '../../privacy/address-level.ts'
import { beginFamily, type TokenState } from '../../tokens/token-state.ts'
import type { DeviceDatabase } from './device-database.ts'
import { loginColumns, tokenColumns } from './device-record.ts'
import type { DeviceTable, DeviceUse } from './device-table.ts'
import type { DeviceRows } from './schema.ts'

type Some<Name extends keyof DeviceTable> = Pick<DeviceTable, Name>

/** Creates the statements that change devices. */
export function deviceWrites(db: DeviceDatabase) {
  return { ...logins(db), ...edits(db), ...tokens(db) }
}

type Update = UpdateQueryBuilder<DeviceRows, 'device', 'device', UpdateResult>

/** Runs an update of one row. @returns whether it was affected */
async function isAffected(update: Update): Promise<boolean> {
  return (await update.executeTakeFirst()).numUpdatedRows > 0n
}

function logins(db: DeviceDatabase): Some<'insert' | 'updateLogin' | 'updateSession'> {
  const { on } = db
  const runUpdate = createUpdate(db)
  return {
    async insert(tx, record) {
      const { uid, userId, name, createdAt, canDeleteOthers, canEditOthers } = record.device
      const identity = { uid, userId, name, createdAt: createdAt.getTime() }
      const rights = { canDeleteOthers, canEditOthers, secondFactorUntil: null }
      const values = { ...identity, ...rights, ...loginColumns(record) }
      await on(tx).insertInto('device').values(values).execute()
    },
    updateLogin: (tx, record) =>
      runUpdate(tx, { uid: record.device.uid }, (update) => update.set(loginColumns(record))),
    updateSession: (tx, { uid, userId }, sessionId) =>
      runUpdate(tx, { uid, userId }, (update) => update.set({ applicationSessionId: sessionId })),
  }
}

function edits(
  db: DeviceDatabase,
): Some<'updateMembers' | 'updateProof' | 'updateSecondFactor' | 'clearSecondFactor'> {
  const { on } = db
  const runUpdate = createUpdate(db)
  return {
    updateMembers: (tx, uid, { name, canDeleteOthers, canEditOthers }) =>
      runUpdate(tx, { uid }, (update) =>
        // Without changes it writes the key, because an UPDATE needs a column.
        update.set({ uid, name, canDeleteOthers, canEditOthers }),
      ),
    updateProof: (tx, uid, now) =>
      runUpdate(tx, { uid }, (update) => update.set({ provedAt: now })),
    updateSecondFactor: (tx, { uid, userId }, until) =>
      runUpdate(tx, { uid, userId }, (update) => update.set({ secondFactorUntil: until })),
    async clearSecondFactor(tx, userId, uid) {
      const rows = await on(tx)
        .selectFrom('device')
        .select('uid')
        .where('userId', '=', userId)
        .where('secondFactorUntil', 'is not', null)
        .execute()
      const uids = rows.map((row) => row.uid).filter((one) => uid === null || one === uid)
      for (const one of uids) {
        const update = on(tx).updateTable('device').set({ secondFactorUntil: null })
        await update.where('uid', '=', one).execute()
      }
      return uids
    },
  }
}

function tokens(db: DeviceDatabase): Some<'rotateToken' | 'updateLate' | 'endFamily' | 'touch'> {
  const { on } = db
  const runUpdate = createUpdate(db)
  return {
    rotateToken: (tx, uid, from, to, { address, now }) =>
      isAffected(
        on(tx)
          .updateTable('device')
          .set((eb) => ({
            ...tokenColumns({ ...to, family: from.family }),
            lastSeenAt: now,
            lastAddress: address,
            lastAddressLevel: levelOf(address, null),
            credentialConfirmedAt: eb.fn.coalesce('credentialConfirmedAt', eb.val(now)),
          }))
          .where('uid', '=', uid)
          .where('tokenFamily', '=', from.family)
          .where('tokenCounter', '=', from.counter),
      ),
    async updateLate(tx, uid, { family, counter, late }) {
      await on(tx)
        .updateTable('device')
        .set({ tokenLate: late })
        .where('uid', '=', uid)
        .where('tokenFamily', '=', family)
        .where('tokenCounter', '=', counter)
        .execute()
    },
    async endFamily(tx, uid, family, now) {
      await on(tx)
        .updateTable('device')
        .set({ ...tokenColumns(beginFamily(family + 1, now)), applicationSessionId: null })
        .where('uid', '=', uid)
        .where('tokenFamily', '=', family)
        .execute()
    },
    touch: (tx, uid, use, token, confirms) =>
      runUpdate(tx, { uid }, (update) => withUse(update, use, token, confirms)),
  }
}

/** Sets the last use of a device, and the first use of its newest token and credential. */
function withUse(
  update: Update,
  { address, now }: DeviceUse,
  { family, counter }: TokenState,
  confirms: boolean,
): Update {
  return update.set((eb) => {
    const isOfFamily = eb('tokenFamily', '=', family)
    const isNewest = eb.and([isOfFamily, eb('tokenCounter', '=', counter)])
    const firstUse = (
      column: 'tokenConfirmedAt' | 'credentialConfirmedAt',
      condition: Expression<SqlBool>,
    ) =>
      eb
        .case()
        .when(eb.and([condition, eb(column, 'is', null)]))
        .then(now)
        .else(eb.ref(column))
        .end()
    return {
      lastAddress: address,
      lastAddressLevel: levelOf(address, null),
      lastSeenAt: eb.case().when('lastSeenAt', '<', now).then(now).else(eb.ref('lastSeenAt')).end(),
      ...(confirms ? { tokenConfirmedAt: firstUse('tokenConfirmedAt', isNewest) } : {}),
      credentialConfirmedAt: firstUse('credentialConfirmedAt', isOfFamily),
    }
  })
}

/**
 * Returns a function that updates one row and returns whether the row exists. On an application's
 * MariaDB pool without FOUND_ROWS, no affected row may also mean that it has these values already.
 */
function createUpdate({ on }: DeviceDatabase) {
  return async (
    tx: SqlExecutor,
    { uid, userId }: { readonly uid: string; readonly userId?: string },
    set: (update: Update) => Update,
  ): Promise<boolean> => {
    const update = set(on(tx).updateTable('device')).where('uid', '=', uid)
    if (await isAffected(userId === undefined ? update : update.where('userId', '=', userId)))
      return true
    const select = on(tx).selectFrom('device').select('userId').where('uid', '=', uid)
    const row = await select.executeTakeFirst()
    return row !== undefined && (userId === undefined || row.userId === userId)
  }
}
