import { snakeCase } from '@quillgate/server/core'
import type { JsonSchema } from '@quillgate/server/http'
import type { TrustedDevice } from '../devices/tables/trusted-device.ts'

/** Converts a device to JSON. Names are in snake case, and times are ISO 8601 in UTC. */
export function toDeviceJson(device: TrustedDevice): Record<string, unknown> {
  const json: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(device)) {
    json[snakeCase(name)] = value instanceof Date ? value.toISOString() : value
  }
  return json
}

/** Returns the JSON schema of a string. */
export function text(description: string): JsonSchema {
  return { type: 'string', description }
}

/** The JSON schema of the uid of a device. */
export const UID: JsonSchema = {
  type: 'string',
  format: 'uuid',
  description: 'UUID v7, lower case',
}

/** The JSON schema `Device` of the OpenAPI document. */
export const DEVICE_SCHEMA: JsonSchema = closed({
  uid: UID,
  user_id: text('The id of the owner, as text'),
  name: {
    type: 'string',
    maxLength: 255,
    description: 'The displayed name: "Firefox on Linux" until the user renames the device',
  },
  city: nullable('City of the latest login whose country is known'),
  country: {
    ...nullable(
      'Country of the latest login whose country is known: ISO 3166-1 alpha-2, or another text that `locate` returned',
    ),
    maxLength: 100,
  },
  address: nullable(
    'IP address or network of the latest login; null if it is unknown, not stored or removed',
  ),
  last_address: nullable(
    'IP address or network of the latest use; null if it is unknown, not stored or removed',
  ),
  user_agent: text('Cut to 512 characters'),
  browser: nullable('Browser with its major version'),
  os: nullable('Operating system'),
  device_type: nullable('`desktop`, `mobile`, `tablet`, `tv`, `bot`'),
  created_at: { type: 'string', format: 'date-time' },
  last_seen_at: { type: 'string', format: 'date-time', description: 'Accurate to one minute' },
  can_delete_others: { type: 'boolean' },
  can_edit_others: { type: 'boolean' },
  second_factor_remembered_until: {
    type: ['string', 'null'],
    format: 'date-time',
    description:
      'Time until which the second factor is remembered on this device; null if it is not',
  },
  is_current: { type: 'boolean', description: 'True for the device that sends the request' },
})

/** A reference to {@link DEVICE_SCHEMA}. */
export const DEVICE_REF: JsonSchema = { $ref: '#/components/schemas/Device' }

/** The JSON schema of a page of devices. */
export const PAGE_SCHEMA: JsonSchema = closed({
  devices: { type: 'array', items: DEVICE_REF, maxItems: 100 },
  next_cursor: nullable('The cursor of the next page; null on the last page'),
})

/** Returns the JSON schema of an object that has exactly these properties. */
export function closed(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
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
