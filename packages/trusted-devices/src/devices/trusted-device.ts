/** The members of a {@link TrustedDevice}. */
export interface TrustedDeviceMembers {
  readonly uid: string
  readonly userId: string
  readonly name: string
  readonly city: string | null
  readonly country: string | null
  readonly address: string | null
  readonly lastAddress: string | null
  readonly userAgent: string
  readonly browser: string | null
  readonly os: string | null
  readonly deviceType: string | null
  readonly createdAt: Date
  readonly lastSeenAt: Date
  readonly canDeleteOthers: boolean
  readonly canEditOthers: boolean
  readonly secondFactorRememberedUntil?: Date | null
}

/**
 * A device of a user: one browser or application that signed in and was not revoked since. It is a
 * frozen snapshot: to write on it throws. This class is also the `sender` of every signal.
 */
export class TrustedDevice implements TrustedDeviceMembers {
  /** UUID v7, lower case. */
  readonly uid: string
  /** The owner's id, as text. */
  readonly userId: string
  /** A name for people: "Firefox on Linux" until the user renames it. */
  readonly name: string
  /** Where its latest login came from, or null when that is unknown. */
  readonly city: string | null
  /** Country of its latest login with a known one: ISO 3166-1 alpha-2, or null. */
  readonly country: string | null
  /** IP address of its latest login, or the network that `addressRetention` left of it; or null. */
  readonly address: string | null
  /** The address of its latest use, as recent as `lastSeenAt`. */
  readonly lastAddress: string | null
  /** The `User-Agent` header of its latest login, cut to 512 characters. */
  readonly userAgent: string
  /** Browser with its main version, for example `Firefox 145`, or null. */
  readonly browser: string | null
  /** Operating system, for example `Linux`, or null. */
  readonly os: string | null
  /** `desktop`, `mobile`, `tablet`, `tv`, `bot` or null. */
  readonly deviceType: string | null
  /** When it was registered. */
  declare readonly createdAt: Date
  /** Its latest use, exact to a minute. */
  declare readonly lastSeenAt: Date
  /** Whether it may revoke the user's other devices. */
  readonly canDeleteOthers: boolean
  /** Whether it may edit the user's other devices. */
  readonly canEditOthers: boolean
  /**
   * Until when its user's second factor is remembered there, perhaps in the past; null: it is not.
   */
  declare readonly secondFactorRememberedUntil: Date | null

  /** Made by the registry; applications get devices, they do not make them. */
  constructor(members: TrustedDeviceMembers) {
    this.uid = members.uid
    this.userId = members.userId
    this.name = members.name
    this.city = members.city
    this.country = members.country
    this.address = members.address
    this.lastAddress = members.lastAddress
    this.userAgent = members.userAgent
    this.browser = members.browser
    this.os = members.os
    this.deviceType = members.deviceType
    this.canDeleteOthers = members.canDeleteOthers
    this.canEditOthers = members.canEditOthers
    // Freezing does not keep anybody from setting a Date, so each reader gets its own.
    for (const name of ['createdAt', 'lastSeenAt'] as const) {
      const time = members[name].getTime()
      Object.defineProperty(this, name, { enumerable: true, get: () => new Date(time) })
    }
    const until = members.secondFactorRememberedUntil?.getTime() ?? null
    Object.defineProperty(this, 'secondFactorRememberedUntil', {
      enumerable: true,
      get: () => (until === null ? null : new Date(until)),
    })
    Object.freeze(this)
  }
}

/**
 * The description of a browser or client in a login. It was not registered, so it has no uid, times
 * or permissions.
 */
export type UnregisteredDevice = Pick<
  TrustedDeviceMembers,
  'name' | 'city' | 'country' | 'address' | 'userAgent' | 'browser' | 'os' | 'deviceType'
>

/** Returns the part of a device that a refused login has. */
export function unregistered(device: TrustedDevice): UnregisteredDevice {
  const { name, city, country, address, userAgent, browser, os, deviceType } = device
  return Object.freeze({ name, city, country, address, userAgent, browser, os, deviceType })
}
