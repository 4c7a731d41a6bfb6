import type { Expectation } from './scenario.ts'

/** An intended difference from the original. See also differences.md. */
export interface Exception {
  readonly reason: string
  /** Settings of the original that the scenario also uses. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** Our expected result by the index of the step, or `omit` if the step does not apply. */
  readonly instead?: Readonly<Record<number, Expectation | 'omit'>>
}

const DELAY_HOLDS = {
  reason: 'the delay also applies to revoke-all, so it is off for this scenario',
  settings: { DELETE_DELAY_MINUTES: 0 },
}
const NO_ALARM = 'an address change never signs a user out'

/** The intended differences by the id of the scenario. */
export const EXCEPTIONS: Readonly<Record<string, Exception>> = {
  L07: {
    reason: 'after a correct password, a blocked account gets 403 inactive_account',
    instead: {
      1: { status: 403, body: { code: 'inactive_account' }, signals: [], devices_after: [] },
    },
  },
  C24: {
    reason: 'only logins look up locations, and no results are cached',
    instead: {
      1: { status: 200, geo_calls: ['203.0.113.10'], devices_after: ['alice/A', 'alice/B'] },
      3: { status: 200, geo_calls: ['8.8.0.5'] },
    },
  },
  D12: {
    reason: 'the delay applies to the acting device, which is old enough here',
    instead: { 3: { status: 204, devices_after: ['alice/A'] } },
  },
  D14: {
    reason:
      'DELETE of the own device is a logout, which is always possible, and the delay applies to the acting device',
    instead: {
      3: 'omit',
      8: { status: 403, body: { code: 'device_session_too_recent' }, signals: [] },
    },
  },
  D15: {
    reason: 'a uid is a UUID with dashes, in either case',
    instead: {
      5: {
        status: 400,
        body: { code: 'invalid_uid' },
        signals: [],
        devices_after: ['alice/A', 'alice/C'],
      },
    },
  },
  O08: {
    reason: 'logging out is always possible, also for a blocked account',
    instead: { 2: { status: 204, devices_after: [] } },
  },
  P02: {
    reason: 'a device may rename itself',
    instead: { 2: { status: 200, body: { name: 'x' }, signals: [] } },
  },
  P11: {
    reason: 'there is no PUT',
    instead: { 4: { status: 405 }, 5: { status: 405 } },
  },
  R06: {
    reason: 'as expected, and the delay would also apply',
    instead: {
      5: {
        status: 403,
        body: { code: 'device_deletion_disabled' },
        signals: [],
        devices_after: ['alice/A', 'alice/B', 'alice/X'],
      },
    },
  },
  R05: DELAY_HOLDS,
  R09: DELAY_HOLDS,
  W05: DELAY_HOLDS,
  T14: {
    reason: 'we issue no tokens without a device',
    instead: {
      2: { status: 401, body: { code: 'token_invalid' } },
      3: { status: 401, body: { code: 'token_invalid' } },
    },
  },
  T02: {
    reason:
      'the previous token is accepted until the newest token is used, because the answer may be lost',
    instead: { 2: { status: 200, signals: [] }, 3: { status: 200, signals: [] } },
  },
  T03: {
    reason: 'as T02, and an older token raises an alarm',
    instead: { 2: { status: 200, signals: [] }, 3: { status: 200, signals: [] } },
  },
  T11: {
    reason: 'as T02, this token is still valid',
    instead: { 2: { status: 200 } },
  },
  W13: {
    reason:
      'changing the permissions of another device requires the age for a revocation, so the delay is off for this scenario',
    settings: { DELETE_DELAY_MINUTES: 0 },
  },
  W08: {
    reason: 'both get the same next token: a double submit signs no user out',
    instead: { 1: { statuses: [200, 200] } },
  },
  H01: {
    reason: NO_ALARM,
    instead: {
      2: { status: 200, signals: [], devices_after: ['alice/A', 'alice/B'] },
      3: { status: 200, signals: [], devices_after: ['alice/A', 'alice/B'] },
    },
  },
  H03: {
    reason: NO_ALARM,
    instead: { 2: { status: 200, signals: [], devices_after: ['alice/A'] } },
  },
  H12: {
    reason: NO_ALARM,
    instead: {
      1: { status: 200, signals: [], devices_after: ['alice/A'] },
      2: { status: 200, signals: [], devices_after: ['alice/A'] },
      3: { status: 200, signals: [], devices_after: ['alice/A'] },
    },
  },
  H14: {
    reason: NO_ALARM,
    instead: { 2: { status: 200, signals: [], devices_after: ['alice/A'] } },
  },
  V06: {
    reason: NO_ALARM,
    instead: {
      2: { status: 200, signals: [], devices_after: ['alice/A'] },
      3: { status: 200, signals: [], devices_after: ['alice/A'] },
    },
  },
}
