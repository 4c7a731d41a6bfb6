import { ConfigurationError, checks, optional, parse } from '@quillgate/server/core'
import { checkActing } from './devices/acting-device.ts'
import { REQUIREMENTS, requireTrust } from './devices/permissions.ts'
import { guardLogin } from './http/passwords/login-guard.ts'
import type { HttpParts } from './http/sessions/http-parts.ts'
import { requireFreshIdentity } from './http/sessions/identify.ts'
import { ADOPT_OPTIONS, checkUser, LOGIN_OPTIONS } from './http/sessions/login-options.ts'
import { adopt, signIn } from './http/sessions/sign-in.ts'
import { signOut } from './http/sessions/sign-out.ts'
import type { TrustedDevices } from './trusted-devices.ts'

const GUARD_OPTIONS = { deviceCredential: optional(checks.anything<string>()) }
const NO_SESSIONS =
  'needs the option session of createTrustedDevices. This function reads the session of a request'

/** Creates the methods that begin, check or end a session. */
export function createSessionMethods(
  parts: HttpParts,
): Pick<
  TrustedDevices,
  'login' | 'adopt' | 'guardLogin' | 'requireTrusted' | 'updateSession' | 'logout'
> {
  const { contexts, registry } = parts
  const { ready } = registry
  const hasOwnSessions = parts.readSession !== undefined
  return {
    async login(user, request, given = {}) {
      checkUser('login', user)
      const context = contexts.of(request, 'login')
      const options = parse(LOGIN_OPTIONS, given, 'login')
      if (options.transport === 'session' && !hasOwnSessions)
        throw new ConfigurationError('login.transport', `"session" ${NO_SESSIONS}`)
      const transport = options.transport ?? (hasOwnSessions ? 'session' : 'cookie')
      await ready()
      return signIn(parts, user, context, { ...options, transport })
    },
    async adopt(user, request, given) {
      checkUser('adopt', user)
      const context = contexts.of(request, 'adopt')
      const { sessionId } = parse(ADOPT_OPTIONS, given, 'adopt')
      if (!hasOwnSessions) throw new ConfigurationError('adopt', NO_SESSIONS)
      await ready()
      return adopt(parts, user, context, sessionId)
    },
    async guardLogin(request, username, verify, given = {}) {
      const context = contexts.of(request, 'guardLogin')
      const { deviceCredential } = parse(GUARD_OPTIONS, given, 'guardLogin')
      await ready()
      const credentials =
        deviceCredential === undefined ? parts.cookies.credentials(context) : [deviceCredential]
      return guardLogin(parts, { context, username, credentials }, verify)
    },
    async requireTrusted(request, requirements = {}) {
      const context = contexts.of(request, 'requireTrusted')
      const checked = parse(REQUIREMENTS, requirements, 'requireTrusted')
      await ready()
      const { user, record } = await requireFreshIdentity(parts, context)
      requireTrust(record, checked, registry.clock())
      return { user, device: record.device }
    },
    async updateSession(device, sessionId) {
      checkActing('updateSession', device)
      const checked = parse(ADOPT_OPTIONS, { sessionId }, 'updateSession')
      await ready()
      return registry.db.devices.update(device, { applicationSessionId: checked.sessionId })
    },
    async logout(request) {
      const context = contexts.of(request, 'logout')
      await ready()
      return signOut(parts, context)
    },
  }
}
