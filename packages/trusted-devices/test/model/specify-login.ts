import type { SpecDevice, Specification } from './specification.ts'

export interface SpecLogin {
  readonly user: string
  readonly country: string | null
  readonly credential: { readonly uid: string; readonly counter: number } | null
}

const FORGOTTEN_AFTER = 400 * 86_400_000
const SECOND = 1000

/** Applies the rules of a login and returns the expected device. */
export function specifyLogin(
  spec: Specification,
  login: SpecLogin,
  newUid: () => string,
): SpecDevice {
  const { user, country, credential } = login
  for (const [uid, revoked] of spec.revokedDevices) {
    if (revoked.device.user === user && revoked.revokedAt < spec.now - FORGOTTEN_AFTER)
      spec.revokedDevices.delete(uid)
  }
  const living = (credential && spec.devices.get(credential.uid)) ?? null
  const revoked = (credential && !living && spec.revokedDevices.get(credential.uid)) || null
  const before = living ?? revoked?.device ?? null
  const behind = before && credential ? before.credential - credential.counter : 0
  const hasSuccessor =
    before?.arrived != null && before.arrived < spec.now - spec.rules.refreshGrace * SECOND
  const isCopy = before !== null && behind > (hasSuccessor ? 0 : 1)
  const known = isCopy ? null : living
  const previous = spec.previousCountries(user, known?.uid ?? null)
  const isReturning = revoked !== null && !isCopy && revoked.mayReturn
  const isBackHome = isReturning && country !== null && before?.countries.includes(country)
  const isStrange = country !== null && !previous.includes(country)
  const isSuspicious = known === null && previous.length > 0 && isStrange && !isBackHome
  makeRoom(spec, user, known, newUid)
  if (known) return signInAgain(spec, known, country, behind === 0)
  const device = newDevice(spec, login, newUid(), before, isReturning)
  if (revoked) Object.assign(revoked, { mayReturn: false, revokedAt: spec.now })
  spec.devices.set(device.uid, device)
  spec.signals.push(['device_created', device.uid, isReturning])
  if (isSuspicious) spec.signals.push(['suspicious_login', device.uid, previous, 'new_country'])
  if (isCopy)
    spec.signals.push(['device_compromised', before.uid, 'device_credential_reused', device.uid])
  return device
}

function makeRoom(
  spec: Specification,
  user: string,
  known: SpecDevice | null,
  newUid: () => string,
): void {
  const { maxDevices, staleAfter } = spec.rules
  const others = () => spec.devicesOf(user).filter((device) => device !== known)
  spec.revoke(
    others().filter((device) => spec.isStale(device, staleAfter)),
    'stale',
    null,
  )
  const surplus = maxDevices === null ? 0 : others().length + 1 - maxDevices
  if (surplus <= 0) return
  spec.revoke(others().slice(0, surplus), 'limit', known?.uid ?? newUid())
}

function signInAgain(
  spec: Specification,
  device: SpecDevice,
  country: string | null,
  isNewest: boolean,
): SpecDevice {
  if (country !== null) spec.move(device, country)
  const isJustBegun =
    device.counter === 0 && spec.now - device.issued < spec.rules.refreshGrace * SECOND
  if (isNewest || !isJustBegun) {
    Object.assign(device, {
      generation: device.generation + 1,
      counter: 0,
      issued: spec.now,
      confirmed: spec.now,
      late: 0,
    })
  }
  if (isNewest) Object.assign(device, { credential: device.credential + 1, arrived: null })
  device.seen = spec.now
  device.proved = spec.now
  return device
}

function newDevice(
  { now, rules }: Specification,
  { user, country }: SpecLogin,
  uid: string,
  before: SpecDevice | null,
  isReturning: boolean,
): SpecDevice {
  const right = (had: boolean | undefined, initial: boolean): boolean =>
    isReturning ? (had ?? initial) : initial && had !== false
  return {
    uid,
    user,
    name: 'model',
    country,
    created: now,
    seen: now,
    proved: now,
    canDelete: right(before?.canDelete, rules.defaultCanDeleteOthers),
    canEdit: right(before?.canEdit, rules.defaultCanEditOthers),
    generation: 1,
    counter: 0,
    issued: now,
    confirmed: now,
    credential: 0,
    arrived: null,
    late: 0,
    countries: country === null ? [] : [country],
  }
}
