import { parse } from '@quillgate/server/core'
import type { RequestContext } from '@quillgate/server/http'
import { requireTrust } from '../devices/permissions.ts'
import type { HttpParts } from '../http/http-parts.ts'
import { requireIdentity, signInFirst } from '../http/sessions/identify.ts'
import { type Authenticated, REQUIREMENTS, type TrustRequirements } from './guard-options.ts'

/** Lets a request through, or throws what to answer; see `GuardOperations`. */
export async function requireTrusted(
  parts: HttpParts,
  context: RequestContext,
  requirements: TrustRequirements = {},
): Promise<Authenticated> {
  const checked = parse(REQUIREMENTS, requirements, 'requireTrusted')
  const { user, record, transport } = await requireIdentity(parts, context)
  // The cached device may be outdated: another node may have revoked or changed it.
  const fresh = await parts.registry.live.find(record.device.uid)
  const isSame =
    transport === 'session'
      ? fresh?.sessionId === record.sessionId
      : fresh?.token.family === record.token.family
  if (!fresh || !isSame) throw signInFirst('device_not_recognized', context)
  requireTrust(fresh, checked, parts.registry.clock())
  return { user, device: fresh.device }
}
