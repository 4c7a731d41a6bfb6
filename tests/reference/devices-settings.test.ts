import { readFileSync } from 'node:fs'
import type { Settings } from '@quillgate/trusted-devices'
import { createMemoryUsers } from '@quillgate/trusted-devices/testing'
import { describe, expect, it } from 'vitest'
import { createDevices } from '../../packages/trusted-devices/test/support/create-devices.ts'

interface SettingCase {
  readonly name: string
  readonly type: string
}

const file = new URL('cases/devices-settings.json', import.meta.url)
const cases = JSON.parse(readFileSync(file, 'utf8')) as {
  settings: SettingCase[]
  host_settings_used: SettingCase[]
}

const create = (settings: Partial<Settings> = {}) =>
  createDevices({
    secret: 'a secret of at least thirty-two bytes',
    database: 'sqlite::memory:',
    users: createMemoryUsers([]),
    settings,
  })

type Ours = { readonly [Key in keyof Settings]: readonly [Key, Settings[Key]] }[keyof Settings]

/** By the setting of the original: our setting and its default, or the reason for its absence. */
const OURS: Readonly<Record<string, Ours | string>> = {
  DELETE_DELAY_MINUTES: ['deleteDelay', 0],
  UPDATE_DELAY_MINUTES: ['editDelay', 0],
  ALLOW_GLOBAL_DELETE: ['allowGlobalDelete', true],
  ALLOW_GLOBAL_UPDATE: ['allowGlobalEdit', true],
  MAX_DEVICES_PER_USER: ['maxDevices', null],
  GEOLOCATION_BACKEND: 'the option locate',
  GEOLOCATION_CACHE_SECONDS: 'a function can have its own cache',
  DEFAULT_CAN_UPDATE_OTHER_DEVICES: ['defaultCanEditOthers', true],
  DEFAULT_CAN_DELETE_OTHER_DEVICES: ['defaultCanDeleteOthers', true],
  USE_X_FORWARDED_FOR: 'the option trustedProxies',
  TRUSTED_PROXY_DEPTH: 'the option trustedProxies',
  DETECT_CONCURRENT_SESSIONS: 'an address change never signs anybody out',
  CONCURRENT_SESSION_WINDOW_SECONDS: 'an address change never signs anybody out',
  ACCESS_TOKEN_LIFETIME: ['accessTokenLifetime', 300],
  REFRESH_TOKEN_LIFETIME: ['refreshTokenLifetime', 2_592_000],
  ROTATE_REFRESH_TOKENS: 'always',
  BLACKLIST_AFTER_ROTATION: 'always',
  'USER_ID_CLAIM / USER_ID_FIELD': 'the option userId',
  USER_AUTHENTICATION_RULE: 'users.isActive',
  EXCEPTION_HANDLER: 'every error has a code',
  'login throttle': ['loginRateLimit', '5/minute'],
  CACHE: 'the option rateLimiter',
}

describe('settings of the original', () => {
  it.each([...cases.settings, ...cases.host_settings_used].map(({ name }) => [name]))(
    '%s',
    (name) => {
      const ours = OURS[name]
      expect(ours, 'has no place here').toBeDefined()
      if (typeof ours === 'string' || !ours) return
      expect(create().getSetting(ours[0])).toEqual(ours[1])
    },
  )
})

describe('values that the original accepts at start and rejects later', () => {
  it.each<[Readonly<Record<string, unknown>>]>([
    [{ maxDevices: 0 }],
    [{ maxDevices: -1 }],
    [{ maxDevices: '2' }],
    [{ MAX_DEVICES_PER_USER: 2 }],
    [{ refreshTokenLifetime: 0 }],
    [{ deleteDelay: -1 }],
    [{ allowGlobalDelete: 'false' }],
  ])('%j is rejected at start, with its name and value (S19)', (settings) => {
    const [name = ''] = Object.keys(settings)
    expect(() => create(settings)).toThrow(name)
  })
})
