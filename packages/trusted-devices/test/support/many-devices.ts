import { sqlFor, tuples } from '@quillgate/server/database'
import type { House } from './house.ts'

const ROWS_PER_INSERT = 250
const COUNTRIES = ['DE', 'FR', 'JP', null]

/** Gives a user devices that signed in long ago, one each second, written straight into the table. */
export async function addDevices(
  { sql, clock }: Pick<House, 'sql' | 'clock'>,
  userId: string,
  count: number,
): Promise<void> {
  const now = clock()
  const tag = sqlFor(sql.dialect)
  for (let start = 0; start < count; start += ROWS_PER_INSERT) {
    const rows = Array.from({ length: Math.min(ROWS_PER_INSERT, count - start) }, (_, offset) => {
      const index = start + offset
      const at = now - (count - index) * 1000
      const country = COUNTRIES[index % COUNTRIES.length] ?? null
      const uid = `0190${index.toString(16).padStart(4, '0')}-0000-7000-8000-${index.toString(16).padStart(12, '0')}`
      return [
        uid,
        userId,
        `Device ${index}`,
        country,
        JSON.stringify(country === null ? [] : [country]),
        '',
        at,
        at,
        at,
        true,
        true,
        1,
        0,
        at,
        at,
        0,
        at,
        0,
        2,
        0,
      ]
    })
    const { sql: text, params } =
      tag`INSERT INTO quillgate_device (uid, user_id, name, country, countries, user_agent, created_at,
      last_seen_at, proved_at, can_delete_others, can_edit_others, token_family, token_counter, token_issued_at,
      token_confirmed_at, credential_counter, signed_in_at, address_level, last_address_level, token_late) VALUES ${tuples(rows)}`
    await sql.execute(text, params)
  }
}
