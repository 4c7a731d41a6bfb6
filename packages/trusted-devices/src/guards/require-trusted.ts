import {
  ConfigurationError,
  checkOptions,
  type OptionCheck,
  type OptionChecks,
} from '@quillgate/server/core'
import type { RequestContext } from '@quillgate/server/http'
import { findDevice } from '../devices/operations/device-use.ts'
import { requireTrust } from '../devices/permissions.ts'
import type { Authenticated, TrustRequirements } from '../guard-options.ts'
import type { HttpParts } from '../http/http-parts.ts'
import { requireIdentity, signInFirst } from '../http/sessions/identify.ts'
import { isDuration } from '../settings.ts'

/** Lets a request through, or throws what to answer; see `GuardOperations`. */
export async function requireTrusted(
  parts: HttpParts,
  context: RequestContext,
  requirements: TrustRequirements = {},
): Promise<Authenticated> {
  checkOptions(requirements, CHECKS, [], 'requireTrusted')
  const { user, record, transport, headers } = await requireIdentity(parts, context)
  // What is remembered may be a moment old: another node may have revoked it, changed its rights, or seen its password.
  const fresh = await findDevice(parts.registry, record.device.uid)
  const isSame =
    transport === 'session'
      ? fresh?.sessionId === record.sessionId
      : fresh?.token.family === record.token.family
  if (!fresh || !isSame) throw signInFirst('device_not_recognized')
  requireTrust(fresh, requirements, parts.registry.clock())
  return { user, device: fresh.device, ...(headers ? { headers } : {}) }
}

const age: OptionCheck = (value, name) => {
  if (value !== 0 && !isDuration(value)) {
    throw new ConfigurationError(name, 'must be a number of seconds, 0 or more', value)
  }
}

/** A misspelt requirement would let everybody through. */
const CHECKS: OptionChecks<TrustRequirements> = {
  minAge: age,
  maxProofAge: age,
  permissions(value, name) {
    const isList =
      Array.isArray(value) &&
      value.every((each) => each === 'canDeleteOthers' || each === 'canEditOthers')
    if (!isList)
      throw new ConfigurationError(name, 'must list canDeleteOthers, canEditOthers', value)
  },
}
