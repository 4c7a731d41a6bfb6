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
  family: number
  counter: number
  issued: number
  confirmed: number | null
  credential: number
  /** When the newest credential was shown to have arrived. */
  arrived: number | null
  /** The newest position at which the refresh token before it came late, and how many there were, less those without. */
  late: { readonly counter: number; readonly count: number } | null
  /** A stranger's, as far as anybody knows. */
  suspect: boolean
}

/** A device that was revoked. */
export interface SpecPast {
  readonly device: SpecDevice
  isTrusted: boolean
  revoked: number
}

/** A signal that must be sent. */
export type SpecSignal =
  | readonly ['device_created', uid: string, returning: boolean]
  | readonly ['device_revoked', uid: string, reason: string, actor: string | null]
  | readonly ['suspicious_login', uid: string, previous: readonly string[], reason: string]
  | readonly ['device_compromised', uid: string, reason: string, actor: string | null]
  | readonly ['login_refused', country: string | null, reason: string]

/** Where a token stands. */
export interface Position {
  readonly uid: string
  readonly family: number
  readonly counter: number
}

/** What is specified to happen to the devices of some users. Written from the documentation, not from the code. */
export class Specification {
  readonly devices = new Map<string, SpecDevice>()
  readonly past = new Map<string, SpecPast>()
  readonly inactive = new Set<string>()
  /** When a user was last in a country that none of their devices is in. */
  readonly countries = new Map<string, Map<string, number>>()
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
    const seen = new Map<string, number>()
    const sorted = [...devices].sort(byActivity)
    for (const device of sorted) {
      this.devices.delete(device.uid)
      this.signals.push(['device_revoked', device.uid, reason, actor])
      const bySelf = device.uid === actor && (reason === 'logout' || reason === 'revoke_all')
      const isTrusted = bySelf || reason === 'stale' || reason === 'limit'
      this.past.set(device.uid, { device: { ...device }, isTrusted, revoked: this.now })
      if (this.rules.countryHistory === null || device.country === null) continue
      if (isTrusted && !device.suspect)
        seen.set(device.country, Math.max(seen.get(device.country) ?? 0, device.seen))
    }
    if (this.rules.countryHistory === null) return
    const [user] = sorted.map((device) => device.user)
    if (user === undefined) return
    const known = this.#countriesOf(user)
    for (const { uid, country, suspect } of sorted) {
      if (suspect && this.past.get(uid)?.isTrusted) continue
      if (country !== null && !seen.has(country)) known.delete(country)
    }
    for (const [country, at] of seen) known.set(country, at)
  }

  /** Devices that are gone are trusted no more. @param uid of one that is gone; null: all */
  distrust(user: string, uid: string | null): void {
    if (uid === null) this.countries.delete(user)
    for (const past of this.past.values()) {
      if (past.device.user !== user || (uid !== null && past.device.uid !== uid)) continue
      past.isTrusted = false
      if (uid !== null && past.device.country !== null)
        this.countries.get(user)?.delete(past.device.country)
    }
  }

  /** A device signs in from elsewhere. */
  move(device: SpecDevice, country: string): void {
    const isNoted = this.rules.countryHistory !== null && !device.suspect
    if (isNoted && device.country !== null && device.country !== country) {
      this.#countriesOf(device.user).set(device.country, device.seen)
    }
    device.country = country
  }

  /** Countries of the user's other devices, and of others before. */
  previousCountries(user: string, except: string | null): string[] {
    const { countryHistory, suspiciousDevicePermissions } = this.rules
    const others = this.devicesOf(user).filter(
      ({ uid, suspect }) => uid !== except && !(suspect && suspiciousDevicePermissions === 'none'),
    )
    const before =
      countryHistory === null
        ? []
        : [...this.#countriesOf(user)]
            .filter(([, at]) => at >= this.now - countryHistory * 1000)
            .map(([name]) => name)
    const all = [...others.map(({ country }) => country), ...before]
    return [...new Set(all.filter((country) => country !== null))].sort()
  }

  isStale(device: SpecDevice, staleAfter: number | null): boolean {
    return staleAfter !== null && device.seen < Math.floor(this.now - staleAfter * 1000)
  }

  /** The user is gone. */
  forgetUser(user: string): void {
    for (const [uid, { device }] of this.past) if (device.user === user) this.past.delete(uid)
    this.countries.delete(user)
  }

  /** A device was used. @param isNewest whether the token was the newest one */
  use(device: SpecDevice, isNewest: boolean): void {
    const isNews = (isNewest && device.confirmed === null) || device.arrived === null
    if (!isNews && this.now - device.seen < this.rules.lastSeenInterval * 1000) return
    device.seen = Math.max(device.seen, this.now)
    if (isNewest) device.confirmed ??= this.now
    device.arrived ??= this.now
  }

  #countriesOf(user: string): Map<string, number> {
    const known = this.countries.get(user) ?? new Map<string, number>()
    this.countries.set(user, known)
    return known
  }
}

/** Least recently seen first; ties by creation, then by uid. */
export function byActivity(a: SpecDevice, b: SpecDevice): number {
  return a.seen - b.seen || a.created - b.created || (a.uid < b.uid ? -1 : 1)
}
