import { checks, type Input, optional, parse } from '@quillgate/server/core'
import type { RequestContext } from '@quillgate/server/http'
import { requireTrust } from '../devices/permissions.ts'
import type { TrustedDevice } from '../devices/trusted-device.ts'
import type { User } from '../devices/users.ts'
import type { HttpParts } from '../http/http-parts.ts'
import { requireIdentity, signInFirst } from '../http/sessions/identify.ts'

/** The user and the device of a request. */
export interface Authenticated {
  readonly user: User
  readonly device: TrustedDevice
}

// A misspelt requirement is an error, because it would let all requests through.
const REQUIREMENTS = {
  /** The minimum number of seconds since the device was registered. */
  minAge: optional(checks.seconds()),
  /** The maximum number of seconds since the user's password was last entered on the device. */
  maxProofAge: optional(checks.seconds()),
  /** The permissions that the device must have. */
  permissions: optional(checks.listOf(checks.oneOf(['canDeleteOthers', 'canEditOthers']))),
}

/** The requirements of a sensitive route of the application. */
export type TrustRequirements = Input<typeof REQUIREMENTS>

/** See `TrustedDevices.requireTrusted`. */
export async function requireTrusted(
  parts: HttpParts,
  context: RequestContext,
  requirements: TrustRequirements = {},
): Promise<Authenticated> {
  const checked = parse(REQUIREMENTS, requirements, 'requireTrusted')
  const { user, record, transport } = await requireIdentity(parts, context)
  // The cached identity may be some seconds old, and the device may have been revoked since.
  const fresh = await parts.registry.db.devices.find(record.device.uid)
  const isSame =
    transport === 'session'
      ? fresh?.sessionId === record.sessionId
      : fresh?.token.generation === record.token.generation
  if (!fresh || !isSame) throw signInFirst('device_not_recognized', context)
  requireTrust(fresh, checked, parts.registry.clock())
  return { user, device: fresh.device }
}
