import { deviceTables } from '../../src/devices/tables/schema.ts'
import type { House } from './house.ts'

const ROWS_PER_INSERT = 250
const COUNTRIES = ['DE', 'FR', 'JP', null]

/** Inserts devices of a user into the table. Their logins are in the past, one second apart. */
export async function addDevices(
  { sql, clock }: Pick<House, 'sql' | 'clock'>,
  userId: string,
  count: number,
): Promise<void> {
  const now = clock()
  for (let start = 0; start < count; start += ROWS_PER_INSERT) {
    const rows = Array.from({ length: Math.min(ROWS_PER_INSERT, count - start) }, (_, offset) => {
      const index = start + offset
      const at = now - (count - index) * 1000
      const country = COUNTRIES[index % COUNTRIES.length] ?? null
      const uid = `0190${index.toString(16).padStart(4, '0')}-0000-7000-8000-${index.toString(16).padStart(12, '0')}`
      return {
        ...{ uid, userId, name: `Device ${index}`, city: null, country, userAgent: '' },
        countries: JSON.stringify(country === null ? [] : [country]),
        ...{ address: null, network: null, lastAddress: null, lastNetwork: null },
        ...{ browser: null, os: null, deviceType: null, applicationSessionId: null },
        ...{ createdAt: at, signedInAt: at, lastSeenAt: at, provedAt: at, secondFactorUntil: null },
        ...{ canDeleteOthers: true, canEditOthers: true },
        ...{
          tokenGeneration: 1,
          tokenCounter: 0,
          tokenIssuedAt: at,
          tokenConfirmedAt: at,
          tokenLate: 0,
        },
        ...{ credentialCounter: 0, credentialConfirmedAt: null },
      }
    })
    await deviceTables.on(sql, 'quillgate_').insertInto('device').values(rows).execute()
  }
}
