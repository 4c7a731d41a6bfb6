import type { Position, SpecDevice, Specification } from './specification.ts'
import { type SpecLogin, specifyLogin } from './specify-login.ts'
import type { ApplicationDoes, Changes } from './steps.ts'

/** The expected result of a request: its status and, for an error, its code. */
export type Answer = string

const LIFETIME = 30 * 86_400_000 // The lifetime of an unused refresh token.

export function login(
  spec: Specification,
  wanted: SpecLogin,
  newUid: () => string,
): { answer: Answer; device: SpecDevice | null } {
  if (spec.inactive.has(wanted.user)) return { answer: '403 inactive_account', device: null }
  return { answer: '200', device: specifyLogin(spec, wanted, newUid) }
}

/** Afterwards, the device has the expected position of the new tokens. */
export function refresh(
  spec: Specification,
  token: Position,
): { answer: Answer; device: SpecDevice | null } {
  const device = spec.devices.get(token.uid)
  const refused = (code: string) => ({ answer: `401 ${code}`, device: null })
  if (!device) return refused('device_not_recognized')
  if (spec.inactive.has(device.user)) return refused('inactive_account')
  if (token.generation !== device.generation || token.counter > device.counter)
    return refused('token_invalid')
  if (spec.now >= device.issued + LIFETIME) return refused('token_expired')
  if (token.counter === device.counter) {
    device.counter += 1
    device.issued = spec.now
    device.confirmed = null
    device.late = device.late < 0 ? -device.late : Math.max(device.late - 1, 0)
    device.arrived ??= spec.now
    device.seen = spec.now
    return { answer: '200', device }
  }
  const isOneBehind = token.counter === device.counter - 1
  const isLate =
    device.confirmed !== null && spec.now > device.confirmed + spec.rules.refreshGrace * 1000
  if (isOneBehind && !isLate && !isOnceTooOften(spec, device)) {
    spec.use(device, false)
    return { answer: '200', device }
  }
  spec.revoke([device], 'compromised', device.uid)
  spec.signals.push(['device_compromised', device.uid, 'refresh_token_reused', device.uid])
  return refused('token_reused')
}

/** Counts a late use of the previous token. Returns true if the limit of late uses is exceeded. */
function isOnceTooOften({ now, rules }: Specification, device: SpecDevice): boolean {
  const isLate = now - device.issued > Math.max(30, rules.refreshGrace) * 1000
  if (!isLate || device.late < 0) return false
  if (device.late === 16) return true
  device.late = -(device.late + 1)
  return false
}

/** Returns the device of an access token, or null. Does not change the device. */
export function findSession(
  spec: Specification,
  token: Position & { expires: number },
): SpecDevice | null {
  const device = spec.devices.get(token.uid)
  if (!device || token.expires <= Math.floor(spec.now / 1000)) return null
  return token.generation === device.generation && token.counter <= device.counter ? device : null
}

export function refusalOf(spec: Specification, token: { readonly expires: number }): Answer {
  const isExpired = token.expires <= Math.floor(spec.now / 1000)
  return isExpired ? '401 token_expired' : '401 authentication_required'
}

/** Returns the device that sends a request, and records a use of the device. */
export function identify(
  spec: Specification,
  token: Position & { expires: number },
): SpecDevice | null {
  const device = findSession(spec, token)
  if (!device || spec.inactive.has(device.user)) return null
  spec.use(device, token.counter === device.counter)
  return device
}

export function revoke(spec: Specification, acting: SpecDevice, uid: string): Answer {
  const target = spec.devices.get(uid)
  if (target?.user !== acting.user) return '404 device_not_found'
  const refusal = target === acting ? null : refusalToRevoke(spec, acting)
  if (refusal) return refusal
  spec.revoke([target], target === acting ? 'logout' : 'api', acting.uid)
  return '204'
}

export function revokeAll(spec: Specification, acting: SpecDevice, keep: boolean): Answer {
  const all = spec.devicesOf(acting.user)
  const refusal = all.length > 1 ? refusalToRevoke(spec, acting) : null
  if (refusal) return refusal
  const wanted = all.filter((device) => !keep || device !== acting)
  if (refusalToRevoke(spec, acting) === null) spec.distrust(acting.user, null)
  spec.revoke(wanted, 'revoke_all', acting.uid)
  return `200 ${wanted.length}`
}

export function edit(
  spec: Specification,
  acting: SpecDevice,
  uid: string,
  changes: Changes,
): Answer {
  const target = spec.devices.get(uid)
  if (target?.user !== acting.user) return '404 device_not_found'
  const refusal = refusalToEdit(spec, acting, target, changes)
  if (refusal) return refusal
  target.name = changes.name ?? target.name
  target.canDelete = changes.can_delete_others ?? target.canDelete
  target.canEdit = changes.can_edit_others ?? target.canEdit
  return '200'
}

export function application(
  spec: Specification,
  what: ApplicationDoes,
  user: string,
  uid: string,
): void {
  const all = spec.devicesOf(user)
  if (what === 'activate the user') spec.inactive.delete(user)
  if (what === 'revoke') {
    const named = all.filter((device) => device.uid === uid)
    if (named.length === 0) spec.distrust(user, uid)
    spec.revoke(named, 'application', null)
  }
  if (what === 'revoke all' || what === 'deactivate the user') spec.distrust(user, null)
  if (what === 'revoke all') spec.revoke(all, 'application', null)
  if (what === 'deactivate the user') {
    spec.inactive.add(user)
    spec.revoke(all, 'user_deactivated', null)
  }
  if (what === 'delete the user') {
    spec.revoke(all, 'user_deleted', null)
    spec.forgetUser(user)
  }
}

function refusalToRevoke({ rules, now }: Specification, acting: SpecDevice): Answer | null {
  if (!rules.allowGlobalDelete) return '403 device_deletion_disabled'
  if (!acting.canDelete) return '403 device_lacks_delete_permission'
  if (now - acting.created < rules.deleteDelay * 1000) return '403 device_session_too_recent'
  return needsProof(rules.stepUpAge, acting, now) ? '403 step_up_required' : null
}

function refusalToEdit(
  spec: Specification,
  acting: SpecDevice,
  target: SpecDevice,
  changes: Changes,
): Answer | null {
  const { rules, now } = spec
  const isOther = acting !== target
  const { can_delete_others: canDelete, can_edit_others: canEdit } = changes
  if (!rules.allowGlobalEdit) return '403 device_editing_disabled'
  if (isOther) {
    if (!acting.canEdit) return '403 device_lacks_edit_permission'
    if (now - acting.created < rules.editDelay * 1000) return '403 device_session_too_recent'
    if (needsProof(rules.stepUpAge, acting, now)) return '403 step_up_required'
  }
  if ((canDelete && !acting.canDelete) || (canEdit && !acting.canEdit))
    return '403 device_permission_escalation'
  const changesRights =
    (canDelete !== undefined && canDelete !== target.canDelete) ||
    (canEdit !== undefined && canEdit !== target.canEdit)
  // The setting `allowGlobalDelete` does not apply to changes of permissions.
  if (!isOther || !changesRights) return null
  return refusalToRevoke(
    { ...spec, rules: { ...rules, allowGlobalDelete: true } } as Specification,
    acting,
  )
}

function needsProof(stepUpAge: number | null, acting: SpecDevice, now: number): boolean {
  return stepUpAge !== null && now - acting.proved > stepUpAge * 1000
}
