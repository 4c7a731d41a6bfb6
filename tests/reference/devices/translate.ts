import type {
  TestDevicesOptions,
  TestSettings,
} from '../../../packages/trusted-devices/test/support/create-devices.ts'
import type { Expectation, ExpectedSignal, Step } from './scenario.ts'

/** The ISO codes of the country names that the original uses. */
const COUNTRIES: Readonly<Record<string, string>> = {
  Germany: 'DE',
  France: 'FR',
  Japan: 'JP',
  Brazil: 'BR',
}

/**
 * Public addresses that replace private addresses in the scenarios, because only the original looks
 * up the location of private addresses.
 */
const STAND_INS: Readonly<Record<string, string>> = {
  '10.0.0.5': '8.8.0.5',
  '10.0.0.6': '8.8.0.6',
  '10.0.0.7': '8.8.0.7',
  '10.0.0.8': '8.8.0.8',
  '10.0.0.9': '8.8.0.9',
}

/** The results of `locate` in the scenarios, by address. */
export const PLACES: Readonly<Record<string, unknown>> = {
  '203.0.113.10': { country: 'DE', city: 'Berlin' },
  '203.0.113.20': { country: 'DE', city: 'Munich' },
  '198.51.100.7': { country: 'FR', city: 'Paris' },
  '198.51.100.8': { country: 'FR', city: 'Lyon' },
  '192.0.2.44': { country: 'JP', city: 'Tokyo' },
  '192.0.2.50': { country: 'BR', city: 'Salvador' },
  '8.8.0.6': { country: null, city: null },
  '8.8.0.7': { country: '', city: '' },
  '8.8.0.8': { country: 'de' },
  '8.8.0.9': { country: '  DE ' },
  '2001:db8::1': { country: 'DE', city: 'Berlin' },
}

/** Returns the public address that replaces a private address. Other addresses are unchanged. */
export const standIn = (address: string): string => STAND_INS[address] ?? address

/** Returns the country code for a country of the original. */
export const countryCode = (country: unknown): unknown =>
  typeof country === 'string' ? (COUNTRIES[country] ?? country) : country

const MINUTE = 60
const DAY = 86_400

type Given = Readonly<Record<string, unknown>>

/**
 * Converts the settings of the original, with the defaults of the scenarios. Invalid values stay
 * invalid.
 */
export function toSettings(given: Given): TestSettings {
  const value = (name: string, initial: unknown): unknown => (name in given ? given[name] : initial)
  const number = (name: string, initial: number): number => Number(value(name, initial))
  const refreshDays = number('REFRESH_TOKEN_LIFETIME_DAYS', 30)
  return {
    maxDevices: value('MAX_DEVICES_PER_USER', null) as number | null,
    accessTokenLifetime: number('ACCESS_TOKEN_LIFETIME_MINUTES', 525_600) * MINUTE,
    refreshTokenLifetime: refreshDays * DAY,
    staleAfter: refreshDays * DAY, // The original has one setting for both values.
    deleteDelay: number('DELETE_DELAY_MINUTES', 1440) * MINUTE,
    editDelay: number('UPDATE_DELAY_MINUTES', 60) * MINUTE,
    allowGlobalDelete: value('ALLOW_GLOBAL_DELETE', true) as boolean,
    allowGlobalEdit: value('ALLOW_GLOBAL_UPDATE', true) as boolean,
    defaultCanDeleteOthers: value('DEFAULT_CAN_DELETE_OTHER_DEVICES', true) as boolean,
    defaultCanEditOthers: value('DEFAULT_CAN_UPDATE_OTHER_DEVICES', true) as boolean,
    lastSeenInterval: 0, // The original stores each request as the last use.
    loginRateLimit: null,
    refreshRateLimit: null,
  }
}

/** Returns trusted proxies that are equivalent to the proxy depth of the original. */
export function toTrustedProxies(
  given: Given,
  ours: readonly string[] | undefined,
): readonly string[] {
  const counts = given['USE_X_FORWARDED_FOR'] === true && given['TRUSTED_PROXY_DEPTH'] !== 0
  return ours ?? (counts ? ['10.0.0.0/8'] : [])
}

/** Returns the option `locate`. The original has the name of a module, which is invalid here. */
export function toLocate(given: Given, locate: NonNullable<TestDevicesOptions['locate']>) {
  return 'GEOLOCATION_BACKEND' in given ? (given['GEOLOCATION_BACKEND'] as never) : locate
}

/** Our field names by the field names of the original. */
export const FIELDS: Readonly<Record<string, string>> = {
  name: 'name',
  user_agent: 'user_agent',
  ip_address: 'address',
  last_ip: 'last_address',
  country: 'country',
  city: 'city',
  last_seen: 'last_seen_at',
  created_at: 'created_at',
  can_update_other_devices: 'can_edit_others',
  can_delete_other_devices: 'can_delete_others',
}

const SIGNED_IN = ['list', 'delete', 'patch', 'put', 'logout', 'revoke_all', 'request']

/** Returns our code for a code of the original at an endpoint. Our own codes are unchanged. */
export function toCode(code: unknown, step: Step, status: number | undefined): unknown {
  // An expired access token has its own code. Other reasons are in `www-authenticate`.
  if (status === 401 && SIGNED_IN.includes(step.do))
    return ['authentication_required', 'token_expired']
  if (code === 'token_not_valid') return ['token_invalid', 'token_expired']
  if (code === 'invalid') return 'invalid_request'
  if (code === 'parse_error') return 'malformed_json'
  if (code === 'authentication_failed') return 'invalid_credentials'
  return code
}

/** Converts an expectation of the original to our statuses and our order of signals. */
export function toExpectation(step: Step, expected: Expectation): Expectation {
  const { signals, ...rest } = expected
  const translated: Expectation = signals ? { ...rest, signals: inOurOrder(signals) } : rest
  return step.do === 'revoke_all' && expected.status === 204
    ? { ...translated, status: 200, body: expected.body_sent_with_204 ?? {} } // A 204 has no body (S15).
    : translated
}

/** Moves revocations to the start. Here, a login publishes all revocations first. */
function inOurOrder(signals: readonly ExpectedSignal[]): ExpectedSignal[] {
  const isRevoked = (signal: ExpectedSignal): boolean => signal.name === 'device_revoked'
  return [...signals.filter(isRevoked), ...signals.filter((signal) => !isRevoked(signal))]
}
