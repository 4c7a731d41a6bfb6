import type { JsonSchema } from '@quillgate/server/http'
import type { TrustedDevice, UnregisteredDevice } from '../devices/trusted-device.ts'

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
  /** Until when the second factor is remembered there; null: it is not. */
  readonly second_factor_remembered_until: string | null
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
    second_factor_remembered_until: device.secondFactorRememberedUntil?.toISOString() ?? null,
    is_current: device.uid === currentUid,
  }
}

/** Writes what a refused login said of its browser or client. */
export function toUnregisteredJson(device: UnregisteredDevice): object {
  const { userAgent, deviceType, ...rest } = device
  return { ...rest, user_agent: userAgent, device_type: deviceType }
}

/** Describes a text. */
export function text(description: string): JsonSchema {
  return { type: 'string', description }
}

/** Describes the name of a device. */
export const UID: JsonSchema = {
  type: 'string',
  format: 'uuid',
  description: 'UUID v7, lower case',
}

/** Describes a {@link DeviceJson}, under the name `Device` in the API document. */
export const DEVICE_SCHEMA: JsonSchema = closed<keyof DeviceJson>({
  uid: UID,
  user_id: text('Id of the owner, as text'),
  name: {
    type: 'string',
    maxLength: 255,
    description: 'For people: "Firefox on Linux" until somebody renames it',
  },
  city: nullable('Of the latest login'),
  country: {
    ...nullable(
      'Of the latest login with a known one: ISO 3166-1 alpha-2, or another text that `locate` returned',
    ),
    maxLength: 100,
  },
  address: nullable('IP address of the latest login, or what privacy settings leave of it'),
  last_address: nullable('IP address of the latest use, or what privacy settings leave of it'),
  user_agent: text('Cut to 512 characters'),
  browser: nullable('With its main version'),
  os: nullable('Operating system'),
  device_type: nullable('`desktop`, `mobile`, `tablet`, `tv`, `bot`'),
  created_at: { type: 'string', format: 'date-time' },
  last_seen_at: { type: 'string', format: 'date-time', description: 'Exact to a minute' },
  can_delete_others: { type: 'boolean' },
  can_edit_others: { type: 'boolean' },
  second_factor_remembered_until: {
    type: ['string', 'null'],
    format: 'date-time',
    description: 'Until when the second factor is remembered there; null: it is not',
  },
  is_current: { type: 'boolean', description: 'True for the device that asks' },
})

/** Refers to {@link DEVICE_SCHEMA}. */
export const DEVICE_REF: JsonSchema = { $ref: '#/components/schemas/Device' }

/** Describes a page of devices. */
export const PAGE_SCHEMA: JsonSchema = closed({
  devices: { type: 'array', items: DEVICE_REF, maxItems: 100 },
  next_cursor: nullable('Where the next page begins; null: this is the last one'),
})

/** An object that has these members and no others. */
export function closed<Name extends string>(
  properties: Readonly<Record<Name, JsonSchema>>,
): JsonSchema {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  }
}

function nullable(description: string): JsonSchema {
  return { type: ['string', 'null'], description }
}
