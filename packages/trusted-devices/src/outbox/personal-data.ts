import { list, type Row, type SqlExecutor, toNumber } from '@quillgate/server/database'
import type { DeviceFact } from '../devices/facts.ts'
import { affectedBy, type DeviceDatabase, rowsOf } from '../devices/tables/device-database.ts'
import { TrustedDevice } from '../devices/trusted-device.ts'
import { withoutDetails } from '../devices/user-data.ts'
import { levelOf } from '../privacy/address-level.ts'
import type { AddressPolicy, AddressStep } from '../privacy/address-policy.ts'
import type { PersonalData } from '../privacy/personal-data.ts'
import { readFact, writeFact } from './fact-json.ts'

const BATCH = 200

/**
 * What the outbox keeps of a user: facts that wait, and those that were given up. Of delivered ones only that they were.
 * What is still to be told after an erasure keeps the user's id, until the outbox forgets it.
 */
export function outboxPersonalData(
  { sql, tables: { outbox } }: DeviceDatabase,
  policy: AddressPolicy,
): PersonalData {
  const writePayload = (tx: SqlExecutor, position: number, fact: DeviceFact): Promise<number> =>
    affectedBy(
      tx,
      sql`UPDATE ${outbox} SET payload = ${writeFact(fact)}, last_error = NULL
        WHERE position = ${position} AND state <> 'delivered'`,
    )

  /** Old facts with their steps, in batches: mostly dead ones, of which there are few. */
  async function* findOld(
    tx: SqlExecutor,
    now: number,
  ): AsyncGenerator<{ position: number; fact: DeviceFact }> {
    const steps = policy.steps(now)
    const before = Math.max(-1, ...steps.map((step) => step.before))
    for (let after = -1; ; ) {
      const rows = await rowsOf(
        tx,
        sql`SELECT position, payload, happened_at FROM ${outbox}
          WHERE state IN ('pending', 'dead') AND happened_at < ${before} AND position > ${after}
          ORDER BY position LIMIT ${BATCH}`,
      )
      for (const row of rows) {
        const fact = factOf(row)
        const reduced = fact && reduceFact(fact, toNumber(row['happened_at']), steps)
        if (reduced) yield { position: toNumber(row['position']), fact: reduced }
      }
      after = toNumber(rows.at(-1)?.['position'] ?? 0)
      if (rows.length < BATCH) return
    }
  }

  return {
    name: 'outbox',
    async export(tx, userId) {
      const rows = await rowsOf(
        tx,
        sql`SELECT * FROM ${outbox} WHERE user_id = ${userId} ORDER BY position`,
      )
      return rows.map((row) => ({
        event_id: String(row['event_id']),
        signal: String(row['signal_name']),
        destination: String(row['destination']),
        happened_at: new Date(toNumber(row['happened_at'])).toISOString(),
        state: String(row['state']),
        event: toJson(factOf(row)),
      }))
    },
    async erase(tx, userId) {
      const rows = await rowsOf(
        tx,
        sql`SELECT * FROM ${outbox} WHERE user_id = ${userId} ORDER BY position`,
      )
      const gone: number[] = []
      for (const row of rows) {
        const fact = row['state'] === 'pending' ? factOf(row) : null
        const position = toNumber(row['position'])
        if (fact?.kind === 'revoked' || fact?.kind === 'compromised') {
          await writePayload(tx, position, { ...fact, device: withoutDetails(fact.device) })
        } else gone.push(position)
      }
      for (let start = 0; start < gone.length; start += BATCH) {
        await affectedBy(
          tx,
          sql`DELETE FROM ${outbox} WHERE position IN (${list(gone.slice(start, start + BATCH))})`,
        )
      }
    },
    async reduceAddresses(executor, now) {
      let reduced = 0
      for await (const { position, fact } of findOld(executor, now))
        reduced += await writePayload(executor, position, fact)
      return reduced
    },
    async countAddresses(executor, now) {
      let count = 0
      for await (const _ of findOld(executor, now)) count++
      return count
    },
  }
}

/** Null for a delivered one, and for what a newer version wrote. */
function factOf(row: Row): DeviceFact | null {
  try {
    return readFact(String(row['payload']))
  } catch {
    return null
  }
}

/** Dates become texts. The session of the application stays out: who has its id may have the session. */
function toJson(fact: DeviceFact | null): unknown {
  return JSON.parse(
    JSON.stringify(fact, (key, value: unknown) => (key === 'sessionId' ? undefined : value)),
  ) as unknown
}

/** Null when nothing is due. */
function reduceFact(
  fact: DeviceFact,
  at: number,
  steps: readonly AddressStep[],
): DeviceFact | null {
  const { device } = fact
  let { address, lastAddress, city } = device
  for (const { level, before, reduce, keepsCity } of steps) {
    if (at >= before) continue
    if (levelOf(address, city) === level) {
      address = reduce(address)
      if (!keepsCity) city = null
    }
    if (levelOf(lastAddress, null) === level) lastAddress = reduce(lastAddress)
  }
  if (address === device.address && lastAddress === device.lastAddress && city === device.city)
    return null
  return { ...fact, device: new TrustedDevice({ ...device, address, lastAddress, city }) }
}
