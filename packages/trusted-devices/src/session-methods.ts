import { ConfigurationError, checks, optional, parse } from '@quillgate/server/core'
import type { RequestContexts } from '@quillgate/server/http'
import { checkActing } from './devices/acting-device.ts'
import { REQUIREMENTS, requireTrust } from './devices/permissions.ts'
import type { RegistryParts } from './devices/registry.ts'
import type { HttpServices } from './http/endpoints.ts'
import { ADOPT_OPTIONS, checkUser, LOGIN_OPTIONS } from './http/sessions/login-options.ts'
import type { TrustedDevices } from './trusted-devices.ts'

const GUARD_OPTIONS = { deviceCredential: optional(checks.anything<string>()) }
const NO_SESSIONS =
  'needs the option session of createTrustedDevices. This function reads the session of a request'

/** Creates the methods that begin, check or end a session. */
export function createSessionMethods(
  { ready, db, clock }: RegistryParts,
  contexts: RequestContexts,
  { cookies, sessions, signIn, guard }: Omit<HttpServices, 'exchange' | 'loginLimits'>,
  hasOwnSessions: boolean,
): Pick<
  TrustedDevices,
  'login' | 'adopt' | 'guardLogin' | 'requireTrusted' | 'updateSession' | 'logout'
> {
  return {
    async login(user, request, given = {}) {
      checkUser('login', user)
      const context = contexts.of(request, 'login')
      const options = parse(LOGIN_OPTIONS, given, 'login')
      if (options.transport === 'session' && !hasOwnSessions)
        throw new ConfigurationError('login.transport', `"session" ${NO_SESSIONS}`)
      const transport = options.transport ?? (hasOwnSessions ? 'session' : 'cookie')
      await ready()
      return signIn.login(user, context, { ...options, transport })
    },
    async adopt(user, request, given) {
      checkUser('adopt', user)
      const context = contexts.of(request, 'adopt')
      const { sessionId } = parse(ADOPT_OPTIONS, given, 'adopt')
      if (!hasOwnSessions) throw new ConfigurationError('adopt', NO_SESSIONS)
      await ready()
      return signIn.adopt(user, context, sessionId)
    },
    async guardLogin(request, username, verify, given = {}) {
      const context = contexts.of(request, 'guardLogin')
      const { deviceCredential } = parse(GUARD_OPTIONS, given, 'guardLogin')
      await ready()
      const credentials =
        deviceCredential === undefined ? cookies.credentials(context) : [deviceCredential]
      return guard.checkLogin({ context, username, credentials }, verify)
    },
    async requireTrusted(request, requirements = {}) {
      const context = contexts.of(request, 'requireTrusted')
      const checked = parse(REQUIREMENTS, requirements, 'requireTrusted')
      await ready()
      const { user, record } = await sessions.requireFreshIdentity(context)
      requireTrust(record, checked, clock())
      return { user, device: record.device }
    },
    async updateSession(device, sessionId) {
      checkActing('updateSession', device)
      const checked = parse(ADOPT_OPTIONS, { sessionId }, 'updateSession')
      await ready()
      return db.devices.update(device, { applicationSessionId: checked.sessionId })
    },
    async logout(request) {
      const context = contexts.of(request, 'logout')
      await ready()
      return sessions.signOut(context)
    },
  }
}
