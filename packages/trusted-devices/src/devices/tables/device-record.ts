import {
  type Expression,
  expressionBuilder,
  type Selectable,
  type SqlBool,
  type UpdateObject,
} from 'kysely'
import { networkOf } from '../../privacy/address-policy.ts'
import type { TokenState } from '../../tokens/rotation-and-reuse.ts'
import { type DeviceRows, MAX_COUNTRIES } from './schema.ts'
import { TrustedDevice } from './trusted-device.ts'

/** The uid of a device and the id of its owner. */
export interface DeviceKey {
  readonly uid: string
  readonly userId: string
}

/**
 * The data of a row of the device table: the device that users see, and internal state. Times are
 * milliseconds since the epoch.
 */
export interface DeviceRecord {
  readonly device: TrustedDevice
  readonly token: TokenState
  readonly credentialCounter: number
  /**
   * The time of the first use of the session or tokens that were issued with the newest device
   * credential. Their use shows that the credential arrived. Null before this use.
   */
  readonly credentialConfirmedAt: number | null
  /**
   * The time of the last password entry. Null if no password was entered since the device was
   * adopted.
   */
  readonly provedAt: number | null
  /** The id of the application's own session, or null. */
  readonly sessionId: string | null
  /** The known countries of the device's logins. The country of the latest login comes last. */
  readonly countries: readonly string[]
}

/**
 * Moves the country of a login to the end of the list, or adds it there. Drops the oldest countries
 * of a long list.
 */
export function withCountry(countries: readonly string[], country: string | null): string[] {
  const all = [...countries.filter((known) => known !== country), ...(country ? [country] : [])]
  while (JSON.stringify(all).length > MAX_COUNTRIES) all.shift()
  return all
}

/** A row of the device table. */
export type DeviceRow = Selectable<DeviceRows['device']>

/** Converts a row of the device table to a record. */
export function toDeviceRecord(row: DeviceRow): DeviceRecord {
  const { createdAt, lastSeenAt, secondFactorUntil } = row
  return {
    device: new TrustedDevice({
      ...row,
      address: row.address ?? row.network,
      lastAddress: row.lastAddress ?? row.lastNetwork,
      createdAt: new Date(createdAt),
      lastSeenAt: new Date(lastSeenAt),
      secondFactorRememberedUntil: secondFactorUntil === null ? null : new Date(secondFactorUntil),
    }),
    token: {
      generation: row.tokenGeneration,
      counter: row.tokenCounter,
      issuedAt: row.tokenIssuedAt,
      confirmedAt: row.tokenConfirmedAt,
      late: row.tokenLate,
    },
    credentialCounter: row.credentialCounter,
    credentialConfirmedAt: row.credentialConfirmedAt,
    provedAt: row.provedAt,
    sessionId: row.applicationSessionId,
    countries: toCountries(row.countries),
  }
}

/** Returns the values of the columns of a token. */
export function tokenColumns({ generation, counter, issuedAt, confirmedAt, late }: TokenState) {
  return {
    tokenGeneration: generation,
    tokenCounter: counter,
    tokenIssuedAt: issuedAt,
    tokenConfirmedAt: confirmedAt,
    tokenLate: late,
  }
}

/** Returns the values of the columns that each login writes. */
export function loginColumns(record: DeviceRecord) {
  const { device, token, credentialCounter, credentialConfirmedAt, provedAt, sessionId } = record
  const { city, country, address, lastAddress, userAgent, browser, os, deviceType } = device
  const lastSeenAt = device.lastSeenAt.getTime()
  return {
    ...{ city, country, userAgent, browser, os, deviceType },
    countries: JSON.stringify(record.countries),
    address: withoutNetwork(address),
    network: networkOf(address),
    ...lastAddressColumns(lastAddress),
    signedInAt: lastSeenAt,
    lastSeenAt,
    provedAt,
    ...tokenColumns(token),
    credentialCounter,
    credentialConfirmedAt,
    applicationSessionId: sessionId,
  }
}

/** Returns the values of the columns with the address of the latest use. */
export function lastAddressColumns(address: string | null) {
  return { lastAddress: withoutNetwork(address), lastNetwork: networkOf(address) }
}

function withoutNetwork(address: string | null): string | null {
  return address?.includes('/') ? null : address
}

/** A use of a device. */
export interface DeviceUse {
  readonly address: string | null
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * Returns the column values that a use of a device writes. The use has a token of the given
 * generation, which shows that the device credential of the same login arrived.
 *
 * @param confirms true if the use shows that exactly this token arrived
 */
export function useColumns(
  { address, now }: DeviceUse,
  { generation, counter }: TokenState,
  confirms: boolean,
): UpdateObject<DeviceRows, 'device'> {
  const eb = expressionBuilder<DeviceRows, 'device'>()
  const isOfGeneration = eb('tokenGeneration', '=', generation)
  const isNewest = eb.and([isOfGeneration, eb('tokenCounter', '=', counter)])
  const firstUse = (
    column: 'tokenConfirmedAt' | 'credentialConfirmedAt',
    condition: Expression<SqlBool>,
  ) =>
    eb
      .case()
      .when(eb.and([condition, eb(column, 'is', null)]))
      .then(now)
      .else(eb.ref(column))
      .end()
  return {
    ...lastAddressColumns(address),
    lastSeenAt: eb.case().when('lastSeenAt', '<', now).then(now).else(eb.ref('lastSeenAt')).end(),
    ...(confirms ? { tokenConfirmedAt: firstUse('tokenConfirmedAt', isNewest) } : {}),
    credentialConfirmedAt: firstUse('credentialConfirmedAt', isOfGeneration),
  }
}

/** Parses the column `countries`. */
export function toCountries(value: string): string[] {
  return JSON.parse(value) as string[]
}

/** Compares devices by their last use, oldest first. Revocations are published in this order. */
export function byActivity(a: DeviceRecord, b: DeviceRecord): number {
  return (
    a.device.lastSeenAt.getTime() - b.device.lastSeenAt.getTime() ||
    a.device.createdAt.getTime() - b.device.createdAt.getTime() ||
    (a.device.uid < b.device.uid ? -1 : 1)
  )
}
