import type {
  Login,
  LoginOptions,
  SettingsInput,
  TrustedDevice,
  TrustedDevices,
  TrustedDevicesOptions,
  User,
} from '@quillgate/trusted-devices'
import type { SentRequest } from '../../../server/test/support/test-csrf.ts'
import {
  createTestGate,
  type GateCalls,
  gateCalls,
  headersOf,
  openSent,
  type TestGateOptions,
} from '../../../server/test/support/test-gate.ts'
import { createWithConstants } from '../../src/create.ts'
import { CONSTANTS, type Constants } from '../../src/settings.ts'

/** The settings, and the constants that only tests change. */
export type TestSettings = SettingsInput & Partial<Constants>

/** The options of trusted devices and of their application object. */
export type TestDevicesOptions<Id = string> = TestGateOptions &
  Omit<TrustedDevicesOptions<Id>, 'settings'> & {
    readonly settings?: TestSettings | undefined
  }

interface WithHeaders {
  /** The cookies of the response. */
  readonly headers: Headers
}

type Authenticated = NonNullable<Awaited<ReturnType<TrustedDevices['authenticate']>>>
type Changed = 'login' | 'adopt' | 'authenticate' | 'requireTrusted' | 'logout' | 'guardLogin'

/**
 * Trusted devices on their own application object. Each call creates a request, and also returns
 * the cookies of its response.
 */
export interface TestDevices extends Omit<TrustedDevices, Changed>, GateCalls {
  login(user: User, sent: SentRequest, options?: LoginOptions): Promise<Login & WithHeaders>
  adopt(
    user: User,
    sent: SentRequest,
    options: Parameters<TrustedDevices['adopt']>[2],
  ): Promise<({ readonly device: TrustedDevice } & WithHeaders) | null>
  authenticate(sent: SentRequest): Promise<(Authenticated & Partial<WithHeaders>) | null>
  requireTrusted(
    sent: SentRequest,
    requirements?: Parameters<TrustedDevices['requireTrusted']>[1],
  ): Promise<Authenticated & Partial<WithHeaders>>
  guardLogin<Found extends object>(
    sent: SentRequest,
    username: string,
    verify: () => Found | null | undefined | Promise<Found | null | undefined>,
    options?: { readonly deviceCredential?: string },
  ): Promise<Found | null>
  logout(sent: SentRequest): Promise<WithHeaders>
}

function splitSettings(settings: TestSettings | undefined): [Constants, SettingsInput | undefined] {
  if (typeof settings !== 'object' || settings === null) return [CONSTANTS, settings]
  const entries = Object.entries(settings)
  const constants = Object.fromEntries(entries.filter(([name]) => Object.hasOwn(CONSTANTS, name)))
  const others = entries.filter(([name]) => !Object.hasOwn(CONSTANTS, name))
  return [{ ...CONSTANTS, ...constants }, Object.fromEntries(others)]
}

export function createDevices<Id = string>(options: TestDevicesOptions<Id>): TestDevices {
  const { gate, own } = createTestGate<TestDevicesOptions<Id>>(options)
  const { settings, ...others } = own as TestDevicesOptions<Id>
  const [constants, shown] = splitSettings(settings)
  const given = shown === undefined ? others : { ...others, settings: shown }
  const devices = createWithConstants<Id>(gate, given as TrustedDevicesOptions<Id>, constants)
  const { login, adopt, authenticate, requireTrusted, guardLogin, logout } = devices
  const open = (sent: SentRequest) => openSent(gate, sent)
  const { secondFactor } = devices
  const isRemembered = secondFactor.isRemembered.bind(secondFactor)
  const renewed = (context: ReturnType<typeof open>): Partial<WithHeaders> => {
    const headers = headersOf(context)
    return headers.getSetCookie().length > 0 ? { headers } : {}
  }
  Object.assign(secondFactor, {
    isRemembered: async (user: User, source: object) =>
      isRemembered(user, 'request' in source ? open(source as SentRequest) : source),
  })
  return Object.assign(devices as unknown as TestDevices, gateCalls(gate), {
    async login(user: User, sent: SentRequest, how?: LoginOptions) {
      const context = open(sent)
      const result = await login(user, context, how)
      return { ...result, headers: headersOf(context) }
    },
    async adopt(user: User, sent: SentRequest, how: Parameters<typeof adopt>[2]) {
      const context = open(sent)
      const device = await adopt(user, context, how)
      return device && { device, headers: headersOf(context) }
    },
    async authenticate(sent: SentRequest) {
      const context = open(sent)
      const session = await authenticate(context)
      return session && { ...session, ...renewed(context) }
    },
    async requireTrusted(sent: SentRequest, requirements?: Parameters<typeof requireTrusted>[1]) {
      const context = open(sent)
      const session = await requireTrusted(context, requirements)
      return { ...session, ...renewed(context) }
    },
    guardLogin: async (sent: SentRequest, ...rest: [string, () => object | null]) =>
      guardLogin(open(sent), ...rest),
    async logout(sent: SentRequest) {
      const context = open(sent)
      await logout(context)
      return { headers: headersOf(context) }
    },
  })
}
