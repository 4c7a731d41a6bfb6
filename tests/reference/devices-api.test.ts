import { readFileSync } from 'node:fs'
import { createMemoryUsers } from '@quillgate/trusted-devices/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { createDevices } from '../../packages/trusted-devices/test/support/create-devices.ts'

interface Endpoint {
  readonly method: string
  readonly path: string
  readonly errors?: readonly { readonly status: number; readonly code: string | null }[]
}

interface Api {
  readonly endpoints: readonly Endpoint[]
  readonly error_codes: readonly {
    readonly code: string
    readonly status?: number
    readonly values?: readonly string[]
  }[]
}

const file = new URL('cases/devices-api.json', import.meta.url)
const api = JSON.parse(readFileSync(file, 'utf8')) as Api

const devices = createDevices({
  secret: 'a secret of at least thirty-two bytes',
  database: 'sqlite::memory:',
  users: createMemoryUsers([{ id: '1', username: 'ada', password: 'pw' }]),
})
afterAll(() => devices.close())

/**
 * The expected status of each endpoint for a request without credentials and body. The status 405
 * means that our endpoint does not have this method.
 */
const ANSWERS: Readonly<Record<string, number>> = {
  'POST /api/token': 415,
  'POST /api/token/refresh': 415,
  'POST /api/token/verify': 415,
  'GET /trusted-devices': 401,
  'PATCH /trusted-devices/{device_uid}': 401,
  'PUT /trusted-devices/{device_uid}': 405,
  'DELETE /trusted-devices/{device_uid}': 401,
  'GET /trusted-devices/{device_uid}': 405,
  'POST /trusted-devices/logout': 401,
  'POST /trusted-devices/revoke-all': 401,
  'GET|PUT|PATCH|DELETE /trusted-devices/logout, /trusted-devices/revoke-all': 405,
}

/** Our error code for each error code of the original. */
const CODES: Readonly<Record<string, string>> = {
  invalid: 'invalid_request',
  parse_error: 'malformed_json',
  authentication_failed: 'invalid_credentials',
  method_not_allowed: 'method_not_allowed',
  throttled: 'rate_limited',
  token_not_valid: 'token_invalid, token_expired',
  token_blacklisted: 'token_reused',
  device_not_recognized: 'device_not_recognized',
  device_compromised: 'token_reused',
  inactive_account: 'inactive_account',
  not_authenticated: 'authentication_required',
  bad_authorization_header: 'authentication_required',
  user_not_found: 'device_not_recognized',
  user_inactive: 'inactive_account',
  device_uid_missing: 'token_invalid',
  device_not_verified: 'authentication_required',
  permission_denied: 'authentication_required',
  device_self_modification: 'none: the own device may be renamed and signed out',
  device_deletion_disabled: 'device_deletion_disabled',
  device_editing_disabled: 'device_editing_disabled',
  device_lacks_delete_permission: 'device_lacks_delete_permission',
  device_lacks_edit_permission: 'device_lacks_edit_permission',
  device_session_too_recent: 'device_session_too_recent',
  device_permission_escalation: 'device_permission_escalation',
}

describe('endpoints of the original', () => {
  const requests = api.endpoints.flatMap(({ method, path }) =>
    method
      .split('|')
      .flatMap((each) => path.split(', ').map((one) => [`${method} ${path}`, each, one] as const)),
  )

  it.each(requests)('%s: %s %s', async (name, method, path) => {
    const url = path
      .replace('/api/', '/trusted-devices/')
      .replace('{device_uid}', '01900000-0000-7000-8000-000000000000')
    const response = await devices.fetch(new Request(`http://localhost${url}`, { method }))
    expect(response.status).toBe(ANSWERS[name])
    expect(response.headers.get('content-type')).toBe('application/problem+json')
  })
})

describe('error codes of the original', () => {
  const codes = [
    ...api.error_codes.flatMap(({ code, values }) => values ?? [code]),
    ...api.endpoints.flatMap(({ errors = [] }) => errors.flatMap(({ code }) => code ?? [])),
  ]

  it.each([...new Set(codes)].map((code) => [code]))('%s has an equivalent', (code) => {
    expect(CODES[code]).toBeDefined()
  })
})
