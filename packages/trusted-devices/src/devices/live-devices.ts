import { ConfigurationError } from '@quillgate/server/core'
import type { AllSettings } from '../settings.ts'
import {
  confirmToken,
  noteLate,
  rotateToken,
  type TokenPolicy,
} from '../tokens/rotation-and-reuse.ts'
import { parseUuid } from '../uuid.ts'
import type { ActingDevice } from './acting-device.ts'
import type { DeviceRecord } from './tables/device-record.ts'
import type { DeviceTable } from './tables/device-table.ts'
import { TrustedDevice } from './trusted-device.ts'

/**
 * Finds the devices that make requests, and stores their use. Each change is a single statement,
 * without the user's lock.
 */
export class LiveDevices {
  readonly #devices: DeviceTable
  readonly #settings: AllSettings
  readonly #clock: () => number

  /** @param clock returns the time in milliseconds since the epoch */
  constructor(devices: DeviceTable, settings: AllSettings, clock: () => number) {
    this.#devices = devices
    this.#settings = settings
    this.#clock = clock
  }

  /** Returns the device with this uid, or null. The uid may be any text that a client sent. */
  async find(claimedUid: string): Promise<DeviceRecord | null> {
    const uid = parseUuid(claimedUid)
    return uid === null ? null : this.#devices.find(uid)
  }

  /**
   * Returns whether a session has ended because no password was entered for longer than
   * `maxSessionAge`. For an adopted session without a password, the time counts from its adoption.
   */
  isTooOld({ provedAt, device }: DeviceRecord): boolean {
    const { maxSessionAge } = this.#settings
    const since = provedAt ?? device.createdAt.getTime()
    return maxSessionAge !== null && this.#clock() - since > maxSessionAge * 1000
  }

  /**
   * Stores that a device was used, at most once per `lastSeenInterval` or half of
   * `refreshTokenLifetime`, whichever is shorter. Also stores, once each, that its newest token and
   * the device credential of its login have arrived.
   *
   * @param readAddress returns the client's address; called only if there is something to store
   * @param confirms true if the request contains the newest token or the access token that was
   * issued with it
   * @returns the device as it is now; null if it was revoked meanwhile
   */
  async use(
    record: DeviceRecord,
    readAddress: () => string | null,
    confirms: boolean,
  ): Promise<DeviceRecord | null> {
    const now = this.#clock()
    // The lifetime of a session counts from its last use, which must therefore be stored before the
    // session ends.
    const { lastSeenInterval, refreshTokenLifetime } = this.#settings
    const interval = Math.min(lastSeenInterval, refreshTokenLifetime / 2) * 1000
    const isDue = now - record.device.lastSeenAt.getTime() >= interval
    const isFirst =
      (confirms && record.token.confirmedAt === null) || record.credentialConfirmedAt === null
    if (!isDue && !isFirst) return record
    const address = readAddress()
    const isThere = await this.#devices.touch(
      record.device,
      { address, now },
      record.token,
      confirms,
    )
    if (!isThere) return null
    const token = confirms ? confirmToken(record.token, now) : record.token
    return seen({ ...record, token }, address, now)
  }

  /**
   * Accepts the previous token: stores a use of the device, and whether the token was used late.
   *
   * @returns the device as it is now; null if it was revoked meanwhile
   */
  async useOlderToken(
    record: DeviceRecord,
    address: string | null,
    policy: TokenPolicy,
  ): Promise<DeviceRecord | null> {
    const token = noteLate(record.token, this.#clock(), policy)
    if (token !== record.token) await this.#devices.updateLate(record.device.uid, token)
    return this.use({ ...record, token }, () => address, false)
  }

  /**
   * Replaces the newest token of a device by the next one, and stores a use of the device.
   *
   * @returns the device as it is now; null if its token was replaced meanwhile, so that the caller
   * must read the device again
   */
  async rotateToken(record: DeviceRecord, address: string | null): Promise<DeviceRecord | null> {
    const now = this.#clock()
    const token = rotateToken(record.token, now)
    const { uid } = record.device
    const rotated = await this.#devices.rotateToken(uid, record.token, token, { address, now })
    return rotated ? seen({ ...record, token }, address, now) : null
  }

  /**
   * Stores the new id of a session that continues, for example after the application regenerated
   * it.
   *
   * @returns whether the device still existed
   */
  updateSession(device: ActingDevice, sessionId: string): Promise<boolean> {
    return this.#devices.update(device, { applicationSessionId: checkSessionId(sessionId) })
  }

  /**
   * Stores that the user's password was entered on a device.
   *
   * @returns whether the device still existed
   */
  prove(device: ActingDevice): Promise<boolean> {
    return this.#devices.update(device, { provedAt: this.#clock() })
  }

  /**
   * Remembers on a device that its user has passed a second factor there.
   *
   * @param seconds the duration; the default and the maximum are 30 days
   * @returns the time until which it is remembered, or null if the device was revoked meanwhile
   * @throws ConfigurationError if the duration is not positive or longer than the maximum
   */
  async rememberSecondFactor(device: ActingDevice, seconds?: number): Promise<Date | null> {
    const { secondFactorLifetime: longest } = this.#settings
    const lifetime = seconds ?? longest
    if (!(typeof lifetime === 'number' && lifetime > 0 && lifetime <= longest)) {
      const problem = `must be a number of seconds above 0, at most ${longest}`
      throw new ConfigurationError('for', problem, lifetime)
    }
    const until = Math.floor(this.#clock() + lifetime * 1000)
    const isThere = await this.#devices.update(device, { secondFactorUntil: until })
    return isThere ? new Date(until) : null
  }

  /**
   * Returns whether the second factor of a user is remembered for the browser that sent this device
   * credential. Only the current credential is accepted, so that a copy of the previous one is
   * useless.
   *
   * @param credential a verified credential of this user, or null
   */
  async isSecondFactorRemembered(
    userId: string,
    credential: { readonly uid: string; readonly counter: number } | null,
  ): Promise<boolean> {
    const record = credential && (await this.find(credential.uid))
    if (record?.device.userId !== userId) return false
    if (credential?.counter !== record.credentialCounter) return false
    const until = record.device.secondFactorRememberedUntil?.getTime() ?? 0
    const now = this.#clock()
    // A time that is later than the maximum is ignored. It means that the limit was lowered or the
    // clock was set back.
    return now < until && until <= now + this.#settings.secondFactorLifetime * 1000
  }
}

function seen(record: DeviceRecord, address: string | null, now: number): DeviceRecord {
  const device = new TrustedDevice({
    ...record.device,
    lastAddress: address,
    lastSeenAt: new Date(now),
  })
  return { ...record, device, credentialConfirmedAt: record.credentialConfirmedAt ?? now }
}

const MAX_SESSION_ID = 255

/**
 * Checks the id of a session of the application.
 *
 * @throws ConfigurationError if it is not text of 1 to 255 characters that a database can store
 */
export function checkSessionId(value: unknown): string {
  const isStorable =
    typeof value === 'string' &&
    value !== '' &&
    value.length <= MAX_SESSION_ID &&
    value.isWellFormed() &&
    !value.includes('\0')
  if (isStorable) return value
  // The value is a secret, so the message does not contain it.
  const problem = `must be the id of a session: text of 1 to ${MAX_SESSION_ID} characters`
  throw new ConfigurationError('sessionId', problem)
}
