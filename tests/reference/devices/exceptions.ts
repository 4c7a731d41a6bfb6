import type { Expectation } from './scenario.ts'

/** Intended differences. The reasons are in differences.md. */
export interface Exception {
  readonly reason: string
  /** Settings of the original that the scenario also uses. */
  readonly settings?: Readonly<Record<string, unknown>>
  /**
   * By the index of the step: the expected result instead, or `omit` if the step does not apply.
   */
  readonly instead?: Readonly<Record<number, Expectation | 'omit'>>
}

const DELAY_HOLDS = {
  reason: 'the delay holds for revoke-all of others too, so it is off for this scenario',
  settings: { DELETE_DELAY_MINUTES: 0 },
}
const NO_ALARM = 'an address change never signs anybody out'

/** By the id of the scenario. */
export const EXCEPTIONS: Readonly<Record<string, Exception>> = {
  L07: {
    reason: 'after a right password a blocked account is told so: 403 inactive_account',
    instead: {
      1: { status: 403, body: { code: 'inactive_account' }, signals: [], devices_after: [] },
    },
  },
  C24: {
    reason: 'only logins look places up, and nothing keeps the answers',
    instead: {
      1: { status: 200, geo_calls: ['203.0.113.10'], devices_after: ['alice/A', 'alice/B'] },
      3: { status: 200, geo_calls: ['8.8.0.5'] },
    },
  },
  D12: {
    reason: 'the delay looks at the acting device, which is old enough here',
    instead: { 3: { status: 204, devices_after: ['alice/A'] } },
  },
  D14: {
    reason:
      'DELETE of the own device is logging out, which is always possible; the delay looks at the acting device',
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
    reason: 'as wanted, and the delay would hold too',
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
    reason: 'a token without a device is none of ours',
    instead: {
      2: { status: 401, body: { code: 'token_invalid' } },
      3: { status: 401, body: { code: 'token_invalid' } },
    },
  },
  T02: {
    reason:
      'one step behind is taken while nobody has used the newest token: the answer may be lost',
    instead: { 2: { status: 200, signals: [] }, 3: { status: 200, signals: [] } },
  },
  T03: {
    reason: 'as T02; a further step behind is an alarm',
    instead: { 2: { status: 200, signals: [] }, 3: { status: 200, signals: [] } },
  },
  T11: {
    reason: 'as T02: this token is still good',
    instead: { 2: { status: 200 } },
  },
  W13: {
    reason:
      'changing the rights of another device takes the age to revoke it, so the delay is off for this scenario',
    settings: { DELETE_DELAY_MINUTES: 0 },
  },
  W08: {
    reason: 'both get the same next token: a double submit signs nobody out',
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
