import { ConfigurationError, type RequestContext } from '@quillgate/http'
import { findDevice } from '../devices/device-use.ts'
import { requireTrust } from '../devices/permissions.ts'
import type { Authenticated, TrustRequirements } from '../guard-options.ts'
import type { HttpParts } from '../http/http-parts.ts'
import { requireIdentity, signInFirst } from '../http/identify.ts'
import { isDuration } from '../settings.ts'

/** Lets a request through, or throws what to answer; see `GuardOperations`. */
export async function requireTrusted(
  parts: HttpParts,
  context: RequestContext,
  requirements: TrustRequirements = {},
): Promise<Authenticated> {
  checkRequirements(requirements)
  const { user, record, transport, headers } = await requireIdentity(parts, context)
  // What is remembered may be a moment old: another node may have revoked it, changed its rights, or seen its password.
  const fresh = await findDevice(parts.registry, record.device.uid)
  const isSame =
    transport === 'session' ? fresh?.sessionId === record.sessionId : fresh?.token.family === record.token.family
  if (!fresh || !isSame) throw signInFirst('device_not_recognized')
  requireTrust(fresh, requirements, parts.registry.clock())
  return { user, device: fresh.device, ...(headers ? { headers } : {}) }
}

const CHECKS: { readonly [Name in keyof Required<TrustRequirements>]: (value: unknown) => boolean } = {
  minAge: isAge,
  maxProofAge: isAge,
  permissions: (value) =>
    Array.isArray(value) && value.every((each) => each === 'canDeleteOthers' || each === 'canEditOthers'),
}

/** A misspelt requirement would let everybody through. */
function checkRequirements(requirements: TrustRequirements): void {
  for (const [name, value] of Object.entries(requirements)) {
    if (!Object.hasOwn(CHECKS, name)) {
      throw new ConfigurationError('requireTrusted', `knows ${Object.keys(CHECKS).join(', ')}`, name)
    }
    if (!CHECKS[name as keyof TrustRequirements](value)) {
      throw new ConfigurationError(
        name,
        name === 'permissions' ? 'must list canDeleteOthers, canEditOthers' : 'must be a number of seconds, 0 or more',
        value,
      )
    }
  }
}

function isAge(value: unknown): boolean {
  return value === 0 || isDuration(value)
}
