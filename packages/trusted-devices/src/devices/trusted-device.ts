/**
 * A device of a user: one browser or application that signed in and was not revoked since. It is a
 * frozen snapshot: to write on it throws. This class is also the `sender` of every signal.
 */
export class TrustedDevice {
  /** UUID v7, lower case. */
  declare readonly uid: string
  /** The owner's id, as text. */
  declare readonly userId: string
  /** A name for people: "Firefox on Linux" until the user renames it. */
  declare readonly name: string
  /** Where its latest login came from, or null when that is unknown. */
  declare readonly city: string | null
  /** Country of its latest login with a known one, as `locate` returned it, or null. */
  declare readonly country: string | null
  /** IP address of its latest login, or the network that `addressRetention` left of it; or null. */
  declare readonly address: string | null
  /** The address of its latest use, as recent as `lastSeenAt`. */
  declare readonly lastAddress: string | null
  /** The `User-Agent` header of its latest login, cut to 512 characters. */
  declare readonly userAgent: string
  /** Browser with its main version, for example `Firefox 145`, or null. */
  declare readonly browser: string | null
  /** Operating system, for example `Linux`, or null. */
  declare readonly os: string | null
  /** `desktop`, `mobile`, `tablet`, `tv`, `bot` or null. */
  declare readonly deviceType: string | null
  /** When it was registered. */
  declare readonly createdAt: Date
  /** Its latest use, exact to a minute. */
  declare readonly lastSeenAt: Date
  /** Whether it may revoke the user's other devices. */
  declare readonly canDeleteOthers: boolean
  /** Whether it may edit the user's other devices. */
  declare readonly canEditOthers: boolean
  /**
   * Until when its user's second factor is remembered there, perhaps in the past; null: it is not.
   */
  declare readonly secondFactorRememberedUntil: Date | null

  /** The registry creates devices. Applications receive them. */
  constructor(properties: DeviceProperties) {
    for (const name of PROPERTIES) {
      const value = properties[name]
      const time = value instanceof Date ? value.getTime() : null
      // A Date in a frozen object can still be changed, so each reader gets a copy.
      const property = time === null ? { value } : { get: () => new Date(time) }
      Object.defineProperty(this, name, { enumerable: true, ...property })
    }
    Object.freeze(this)
  }
}

/** The properties of a {@link TrustedDevice}. */
export type DeviceProperties = Pick<TrustedDevice, keyof TrustedDevice>

/** In the order of the JSON. */
const PROPERTIES = [
  'uid',
  'userId',
  'name',
  'city',
  'country',
  'address',
  'lastAddress',
  'userAgent',
  'browser',
  'os',
  'deviceType',
  'createdAt',
  'lastSeenAt',
  'canDeleteOthers',
  'canEditOthers',
  'secondFactorRememberedUntil',
] as const satisfies readonly (keyof DeviceProperties)[]

/** Empty values for the properties that revoked devices and erased events do not keep. */
export const NO_DETAILS = {
  city: null,
  address: null,
  lastAddress: null,
  userAgent: '',
  browser: null,
  os: null,
  deviceType: null,
  secondFactorRememberedUntil: null,
} as const

/** Returns a device with only its uid, owner, times and permissions. */
export function withoutDetails(device: TrustedDevice): TrustedDevice {
  return new TrustedDevice({ ...device, ...NO_DETAILS, name: '', country: null })
}
