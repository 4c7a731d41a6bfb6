import fc from 'fast-check'

/**
 * One step. Numbers select clients, tokens and devices. The number of a device is reduced with the
 * remainder operator. If the selected token does not exist, the step sends none or is skipped.
 */
export type Step =
  /**
   * `credential` selects an earlier credential: 0 is the newest one, 1 the one before. Null: no
   * credential.
   */
  | {
      readonly do: 'login'
      readonly client: number
      readonly user: number
      readonly credential: number | null
      readonly place: number
    }
  /** `age` selects an earlier token: 0 is the newest one, 1 the one before. */
  | { readonly do: 'refresh'; readonly client: number; readonly age: number }
  | { readonly do: 'look'; readonly client: number; readonly age: number }
  | { readonly do: 'revoke'; readonly client: number; readonly device: number }
  | { readonly do: 'revoke all'; readonly client: number; readonly keep: boolean }
  | { readonly do: 'log out'; readonly client: number }
  | {
      readonly do: 'edit'
      readonly client: number
      readonly device: number
      readonly changes: Changes
    }
  | { readonly do: 'reauthenticate'; readonly client: number }
  | { readonly do: 'clean up'; readonly days: number | null }
  | { readonly do: 'configure'; readonly settings: number }
  | { readonly do: 'wait'; readonly seconds: number }
  | {
      readonly do: 'application'
      readonly what: ApplicationDoes
      readonly user: number
      readonly device: number
    }

export interface Changes {
  readonly name?: string
  readonly can_delete_others?: boolean
  readonly can_edit_others?: boolean
}

export type ApplicationDoes =
  | 'revoke'
  | 'revoke all'
  | 'delete the user'
  | 'deactivate the user'
  | 'activate the user'

export const CLIENTS = 3
export const USERS = 2

const client = fc.nat(CLIENTS - 1)
const user = fc.constantFrom(0, 0, 0, 1)
const device = fc.nat(30)
const age = fc.constantFrom(0, 0, 0, 0, 0, 1, 1, 2, 3)
const changes: fc.Arbitrary<Changes> = fc.record(
  {
    name: fc.constantFrom('Phone', 'Laptop', ''),
    can_delete_others: fc.boolean(),
    can_edit_others: fc.boolean(),
  },
  { requiredKeys: [] },
)

const DAY = 86_400

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('login' as const),
      client,
      user,
      credential: fc.constantFrom(0, 0, 0, 0, 1, 1, 2, 3, null),
      place: fc.nat(4),
    }),
  },
  { weight: 10, arbitrary: fc.record({ do: fc.constant('refresh' as const), client, age }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('look' as const), client, age }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('revoke' as const), client, device }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('revoke all' as const), client, keep: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('log out' as const), client }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('edit' as const), client, device, changes }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reauthenticate' as const), client }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('clean up' as const),
      days: fc.constantFrom(null, 1, 30),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('configure' as const), settings: fc.nat(20) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      seconds: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(0.5, 1, 29, 30, 30, 31, 60, 61) },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            300,
            3600,
            DAY,
            29 * DAY,
            30 * DAY,
            31 * DAY,
            91 * DAY,
            401 * DAY,
          ),
        },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('application' as const),
      what: fc.constantFrom<ApplicationDoes>(
        'revoke',
        'revoke all',
        'delete the user',
        'deactivate the user',
        'activate the user',
        'activate the user',
      ),
      user,
      device,
    }),
  },
)
