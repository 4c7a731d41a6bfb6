import { isUniqueViolation } from '@quillgate/server/database'
import type { DemoDatabase, DemoTables } from './database.ts'

export type SecurityEvent = DemoTables['demo_security_event']

let sequence = 0

/** Ignores an event that is already stored. */
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

export async function listEvents(database: DemoDatabase, userId: string): Promise<SecurityEvent[]> {
  return database.kysely
    .selectFrom('demo_security_event')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('at')
    .orderBy('sequence')
    .execute()
}

/** Returns the JSON of an event for `GET /api/security-log`. */
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

export const timeOf = ({ at }: SecurityEvent): string => new Date(Number(at)).toISOString()

const previousCountries = ({ previous_countries: json }: SecurityEvent): string[] =>
  JSON.parse(json ?? '[]') as string[]

export function eventToSentence(event: SecurityEvent): string {
  const device = event.device_name ?? 'A device'
  const from = event.country === null ? '' : ` from ${countryName(event.country)}`
  switch (event.signal_name) {
    case 'suspicious_login': {
      const before = LIST.format(previousCountries(event).map(countryName))
      return `${device} signed in${from}, a new country for your account. Earlier sign-ins were from ${before}.`
    }
    case 'device_compromised':
      return `Somebody else may have a copy of the sign-in of ${device}.`
    case 'device_revoked':
      return `${device} ${SIGNED_OUT[event.reason ?? ''] ?? 'was signed out'}.`
    default:
      return `${device} signed in${from}.`
  }
}

/** The end of the sentence by reason. Applications can use other reasons. */
const SIGNED_OUT: Readonly<Record<string, string>> = {
  api: 'was signed out from another device',
  revoke_all: 'was signed out together with other devices',
  logout: 'signed out',
  stale: 'was signed out because it was not used for a long time',
  limit: 'was signed out because there were too many devices',
  compromised: 'was signed out because somebody else used its sign-in',
  reported: 'was signed out because you reported a sign-in that was not yours',
}

const LIST = new Intl.ListFormat('en')
const REGIONS = new Intl.DisplayNames('en', { type: 'region' })

function countryName(country: string): string {
  return /^[A-Z]{2}$/.test(country) ? (REGIONS.of(country) ?? country) : country
}
