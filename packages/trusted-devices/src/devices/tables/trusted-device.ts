/**
 * A device of a user: a browser or application that signed in and was not revoked since. The object
 * is a frozen snapshot. The class is also the `sender` of every signal.
 */
export class TrustedDevice {
  /** UUID v7, lower case. */
  declare readonly uid: string
  /** The owner's id, as text. */
  declare readonly userId: string
  /** The displayed name, for example "Firefox on Linux". The user can change the name. */
  declare readonly name: string
  /** The city of the latest login whose country is known, or null. */
  declare readonly city: string | null
  /** The latest known country of its logins, such as `DE`, or null. */
  declare readonly country: string | null
  /**
   * The IP address of its latest login. After `addressRetention`, only the network. Null if unknown
   * or removed.
   */
  declare readonly address: string | null
  /** The IP address or network of its latest use, or null. Stored together with `lastSeenAt`. */
  declare readonly lastAddress: string | null
  /** The `User-Agent` header of its latest login, cut to 512 characters. */
  declare readonly userAgent: string
  /** The browser with its major version, for example `Firefox 145`, or null. */
  declare readonly browser: string | null
  /** The operating system, for example `Linux`, or null. */
  declare readonly os: string | null
  /** `desktop`, `mobile`, `tablet`, `tv`, `bot` or null. */
  declare readonly deviceType: string | null
  /** The time of its registration. */
  declare readonly createdAt: Date
  /** The time of its latest use, accurate to one minute. */
  declare readonly lastSeenAt: Date
  /** Whether the device may revoke the user's other devices. */
  declare readonly canDeleteOthers: boolean
  /** Whether the device may edit the user's other devices. */
  declare readonly canEditOthers: boolean
  /**
   * The time until which the user's second factor is remembered on the device. The time can be in
   * the past. Null if the second factor is not remembered.
   */
  declare readonly secondFactorRememberedUntil: Date | null

  /** Called by the registry. Applications do not create devices. */
  constructor(properties: DeviceProperties) {
    for (const name of PROPERTIES) {
      const value = properties[name]
      const time = value instanceof Date ? value.getTime() : null
      // A Date can be changed even in a frozen object, so the getter returns a copy.
      const property = time === null ? { value } : { get: () => new Date(time) }
      Object.defineProperty(this, name, { enumerable: true, ...property })
    }
    Object.freeze(this)
  }
}

/** The properties of a {@link TrustedDevice}. */
export type DeviceProperties = Pick<TrustedDevice, keyof TrustedDevice>

/** The names of the properties, in the order of the JSON. */
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

/** Empty values for properties that are not stored for revoked devices and erased events. */
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
