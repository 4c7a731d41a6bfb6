import { isUniqueViolation } from '@quillgate/server/database'
import type { DemoDatabase } from './database.ts'

/** One line of the security log. */
export interface SecurityEvent {
  readonly signal: string
  readonly eventId: string
  readonly at: Date
  readonly userId: string | number
  readonly deviceUid: string
  readonly country?: string | null
  readonly previousCountries?: readonly string[]
  readonly reason?: string | null
}

let sequence = 0

/** Writes one event. The same event delivered twice is one line. */
export async function recordEvent(database: DemoDatabase, event: SecurityEvent): Promise<void> {
  const row = {
    event_id: event.eventId,
    user_id: String(event.userId),
    signal_name: event.signal,
    at: event.at.getTime(),
    sequence: ++sequence,
    device_uid: event.deviceUid,
    country: event.country ?? null,
    previous_countries: event.previousCountries ? JSON.stringify(event.previousCountries) : null,
    reason: event.reason ?? null,
  }
  try {
    await database.kysely.insertInto('demo_security_event').values(row).execute()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
  }
}

/** The whole log of one user, oldest first, as JSON shows it. */
export async function listEvents(
  database: DemoDatabase,
  userId: string,
): Promise<SecurityEventJson[]> {
  const rows = await database.kysely
    .selectFrom('demo_security_event')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('at')
    .orderBy('sequence')
    .execute()
  return rows.map((row) => ({
    signal: row.signal_name,
    at: new Date(Number(row.at)).toISOString(),
    device_uid: row.device_uid,
    country: row.country,
    previous_countries:
      row.previous_countries === null ? null : (JSON.parse(row.previous_countries) as string[]),
    reason: row.reason,
  }))
}

/** One event on the wire. */
export interface SecurityEventJson {
  readonly signal: string
  readonly at: string
  readonly device_uid: string
  readonly country: string | null
  readonly previous_countries: string[] | null
  readonly reason: string | null
}
