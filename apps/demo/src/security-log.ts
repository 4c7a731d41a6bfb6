import { isUniqueViolation } from '@quillgate/server/database'
import type { DemoDatabase, DemoTables } from './database.ts'

/** One line of the security log. */
export type SecurityEvent = DemoTables['demo_security_event']

let sequence = 0

/** Writes one event. The same event delivered twice is one line. */
export async function recordEvent(
  database: DemoDatabase,
  event: Omit<SecurityEvent, 'sequence'>,
): Promise<void> {
  const row = { ...event, sequence: ++sequence }
  try {
    await database.kysely.insertInto('demo_security_event').values(row).execute()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
  }
}

/** The whole log of one user, oldest first. */
export async function listEvents(database: DemoDatabase, userId: string): Promise<SecurityEvent[]> {
  return database.kysely
    .selectFrom('demo_security_event')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('at')
    .orderBy('sequence')
    .execute()
}

/** One event as `GET /api/security-log` shows it. */
export function eventToJson(event: SecurityEvent): object {
  return {
    signal: event.signal_name,
    at: timeOf(event),
    device_uid: event.device_uid,
    country: event.country,
    previous_countries: event.previous_countries === null ? null : previousCountries(event),
    reason: event.reason,
  }
}

/** When the event happened, as ISO 8601. */
export const timeOf = ({ at }: SecurityEvent): string => new Date(Number(at)).toISOString()

const previousCountries = ({ previous_countries: json }: SecurityEvent): string[] =>
  JSON.parse(json ?? '[]') as string[]

/** One event as a sentence for its user. */
export function eventToSentence(event: SecurityEvent): string {
  const device = event.device_name ?? 'A device'
  const from = event.country === null ? '' : ` from ${countryName(event.country)}`
  switch (event.signal_name) {
    case 'suspicious_login': {
      const before = LIST.format(previousCountries(event).map(countryName))
      return `${device} signed in${from}, a new country for your account. Before, it was ${before}.`
    }
    case 'device_compromised':
      return `Somebody else may have a copy of the sign-in of ${device}.`
    case 'device_revoked':
      return `${device} ${SIGNED_OUT[event.reason ?? ''] ?? 'was signed out'}.`
    default:
      return `${device} signed in${from}.`
  }
}

/** By the reason of `device_revoked`. The application may give others. */
const SIGNED_OUT: Readonly<Record<string, string>> = {
  api: 'was signed out from another device',
  revoke_all: 'was signed out together with other devices',
  logout: 'signed out',
  stale: 'was signed out because it was not used for a long time',
  limit: 'was signed out to make room for another device',
  compromised: 'was signed out because somebody else used its sign-in',
  reported: 'was signed out because you reported a sign-in that was not yours',
}

const LIST = new Intl.ListFormat('en')
const REGIONS = new Intl.DisplayNames('en', { type: 'region' })

/** Text that is not a country code stays as it is. */
function countryName(country: string): string {
  return /^[A-Z]{2}$/.test(country) ? (REGIONS.of(country) ?? country) : country
}
