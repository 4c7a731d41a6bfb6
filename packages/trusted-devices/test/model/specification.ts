import type { Rules } from './settings.ts'

/** A registered device, as the documentation describes it. Times are in milliseconds. */
export interface SpecDevice {
  uid: string
  user: string
  name: string
  country: string | null
  created: number
  seen: number
  proved: number
  canDelete: boolean
  canEdit: boolean
  /**
   * `generation` is the number of its sessions. `counter` is the number of refreshes in the latest
   * session.
   */
  generation: number
  counter: number
  issued: number
  confirmed: number | null
  credential: number
  /** See `DeviceRecord.credentialConfirmedAt`. */
  arrived: number | null
  /** See `TokenState.late`. */
  late: number
  /** The countries of its logins. The latest country comes last. */
  countries: string[]
}

export interface SpecRevokedDevice {
  readonly device: SpecDevice
  mayReturn: boolean
  revokedAt: number
}

export type SpecSignal =
  | readonly ['device_created', uid: string, returning: boolean]
  | readonly ['suspicious_login', uid: string, previous: readonly string[], reason: string]
  | readonly [
      signal: 'device_revoked' | 'device_compromised',
      uid: string,
      reason: string,
      actor: string | null,
    ]

export interface Position {
  readonly uid: string
  readonly generation: number
  readonly counter: number
}

/**
 * The specified behavior of devices. This class is written from the documentation, so that it does
 * not repeat errors in the code.
 */
export class Specification {
  readonly devices = new Map<string, SpecDevice>()
  readonly revokedDevices = new Map<string, SpecRevokedDevice>()
  readonly inactive = new Set<string>()
  signals: SpecSignal[] = []
  now: number
  rules: Rules

  constructor(now: number, rules: Rules) {
    this.now = now
    this.rules = rules
  }

  /** Returns a user's devices, least recently seen first. */
  devicesOf(user: string): SpecDevice[] {
    return [...this.devices.values()].filter((device) => device.user === user).sort(byActivity)
  }

  revoke(devices: readonly SpecDevice[], reason: string, actor: string | null): void {
    for (const device of [...devices].sort(byActivity)) {
      this.devices.delete(device.uid)
      this.signals.push(['device_revoked', device.uid, reason, actor])
      const bySelf = device.uid === actor && (reason === 'logout' || reason === 'revoke_all')
      const mayReturn = bySelf || reason === 'stale' || reason === 'limit'
      this.revokedDevices.set(device.uid, { device: { ...device }, mayReturn, revokedAt: this.now })
    }
  }

  /** @param uid the uid of one device, or null for all devices */
  distrust(user: string, uid: string | null): void {
    for (const revoked of this.revokedDevices.values()) {
      if (revoked.device.user === user && (uid === null || revoked.device.uid === uid)) {
        revoked.mayReturn = false
      }
    }
  }

  move(device: SpecDevice, country: string): void {
    device.country = country
    device.countries = [...device.countries.filter((known) => known !== country), country]
  }

  previousCountries(user: string, except: string | null): string[] {
    const others = this.devicesOf(user).filter(({ uid }) => uid !== except)
    return [...new Set(others.flatMap(({ countries }) => countries))].sort()
  }

  isStale(device: SpecDevice, staleAfter: number | null): boolean {
    return staleAfter !== null && device.seen < Math.floor(this.now - staleAfter * 1000)
  }

  forgetUser(user: string): void {
    for (const [uid, { device }] of this.revokedDevices)
      if (device.user === user) this.revokedDevices.delete(uid)
  }

  /** @param isNewest true if the use has the newest token */
  use(device: SpecDevice, isNewest: boolean): void {
    const isNews = (isNewest && device.confirmed === null) || device.arrived === null
    if (!isNews && this.now - device.seen < this.rules.lastSeenInterval * 1000) return
    device.seen = Math.max(device.seen, this.now)
    if (isNewest) device.confirmed ??= this.now
    device.arrived ??= this.now
  }
}

export function byActivity(a: SpecDevice, b: SpecDevice): number {
  return a.seen - b.seen || a.created - b.created || (a.uid < b.uid ? -1 : 1)
}
