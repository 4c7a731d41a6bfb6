import type { Rules } from './settings.ts'

/** A living device, as contract and documentation describe it. Times are milliseconds. */
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
  /** Logins of it, and refreshes within the latest one. */
  generation: number
  counter: number
  issued: number
  confirmed: number | null
  credential: number
  /** When the newest credential was shown to have arrived. */
  arrived: number | null
  /** Positions at which the previous refresh token came late, less those without. Negative: this one is counted. */
  late: number
  /** Countries of its logins, the latest one last. */
  countries: string[]
}

/** A device that was revoked. */
export interface SpecPast {
  readonly device: SpecDevice
  mayReturn: boolean
  revoked: number
}

/** A signal that must be sent. */
export type SpecSignal =
  | readonly ['device_created', uid: string, returning: boolean]
  | readonly ['device_revoked', uid: string, reason: string, actor: string | null]
  | readonly ['suspicious_login', uid: string, previous: readonly string[], reason: string]
  | readonly ['device_compromised', uid: string, reason: string, actor: string | null]

/** Where a token stands. */
export interface Position {
  readonly uid: string
  readonly generation: number
  readonly counter: number
}

/** What is specified to happen to the devices of some users. Written from the documentation, not from the code. */
export class Specification {
  readonly devices = new Map<string, SpecDevice>()
  readonly past = new Map<string, SpecPast>()
  readonly inactive = new Set<string>()
  signals: SpecSignal[] = []
  now: number
  rules: Rules

  constructor(now: number, rules: Rules) {
    this.now = now
    this.rules = rules
  }

  /** A user's devices: least recently seen first, ties by creation. */
  devicesOf(user: string): SpecDevice[] {
    return [...this.devices.values()].filter((device) => device.user === user).sort(byActivity)
  }

  /** Revokes devices, in the order of their activity. */
  revoke(devices: readonly SpecDevice[], reason: string, actor: string | null): void {
    for (const device of [...devices].sort(byActivity)) {
      this.devices.delete(device.uid)
      this.signals.push(['device_revoked', device.uid, reason, actor])
      const bySelf = device.uid === actor && (reason === 'logout' || reason === 'revoke_all')
      const mayReturn = bySelf || reason === 'stale' || reason === 'limit'
      this.past.set(device.uid, { device: { ...device }, mayReturn, revoked: this.now })
    }
  }

  /** Revoked devices may not return. @param uid of one that is gone; null: all */
  distrust(user: string, uid: string | null): void {
    for (const past of this.past.values()) {
      if (past.device.user === user && (uid === null || past.device.uid === uid)) {
        past.mayReturn = false
      }
    }
  }

  /** A device signs in from a known country. */
  move(device: SpecDevice, country: string): void {
    device.country = country
    device.countries = [...device.countries.filter((known) => known !== country), country]
  }

  /** The countries of the user's other devices. */
  previousCountries(user: string, except: string | null): string[] {
    const others = this.devicesOf(user).filter(({ uid }) => uid !== except)
    return [...new Set(others.flatMap(({ countries }) => countries))].sort()
  }

  isStale(device: SpecDevice, staleAfter: number | null): boolean {
    return staleAfter !== null && device.seen < Math.floor(this.now - staleAfter * 1000)
  }

  /** The user is gone. */
  forgetUser(user: string): void {
    for (const [uid, { device }] of this.past) if (device.user === user) this.past.delete(uid)
  }

  /** A device was used. @param isNewest whether the token was the newest one */
  use(device: SpecDevice, isNewest: boolean): void {
    const isNews = (isNewest && device.confirmed === null) || device.arrived === null
    if (!isNews && this.now - device.seen < this.rules.lastSeenInterval * 1000) return
    device.seen = Math.max(device.seen, this.now)
    if (isNewest) device.confirmed ??= this.now
    device.arrived ??= this.now
  }
}

/** Least recently seen first; ties by creation, then by uid. */
export function byActivity(a: SpecDevice, b: SpecDevice): number {
  return a.seen - b.seen || a.created - b.created || (a.uid < b.uid ? -1 : 1)
}
