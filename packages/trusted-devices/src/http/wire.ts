import type { TrustedDevice } from '../devices/trusted-device.ts'

/** A device on the wire. Times are ISO 8601 in UTC. */
export interface DeviceJson {
  readonly uid: string
  readonly user_id: string
  readonly name: string
  readonly city: string | null
  readonly country: string | null
  readonly address: string | null
  readonly last_address: string | null
  readonly user_agent: string
  readonly browser: string | null
  readonly os: string | null
  readonly device_type: string | null
  readonly created_at: string
  readonly last_seen_at: string
  readonly can_delete_others: boolean
  readonly can_edit_others: boolean
  /** True for the device that asked. */
  readonly is_current: boolean
}

/** Writes a device. @param currentUid the device that asked */
export function toDeviceJson(device: TrustedDevice, currentUid: string): DeviceJson {
  return {
    uid: device.uid,
    user_id: device.userId,
    name: device.name,
    city: device.city,
    country: device.country,
    address: device.address,
    last_address: device.lastAddress,
    user_agent: device.userAgent,
    browser: device.browser,
    os: device.os,
    device_type: device.deviceType,
    created_at: device.createdAt.toISOString(),
    last_seen_at: device.lastSeenAt.toISOString(),
    can_delete_others: device.canDeleteOthers,
    can_edit_others: device.canEditOthers,
    is_current: device.uid === currentUid,
  }
}
