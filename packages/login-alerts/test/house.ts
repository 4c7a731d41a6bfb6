import type { TestEngine } from '@quillgate/server/testing'
import { deviceMigrations } from '@quillgate/trusted-devices'
import { BearerClient } from '../../trusted-devices/test/support/client.ts'
import type {
  TestDevices,
  TestDevicesOptions,
  TestSettings,
} from '../../trusted-devices/test/support/create-devices.ts'
import { type House, openHouse as openDevices } from '../../trusted-devices/test/support/house.ts'
import { loginAlertMigrations } from '../src/alert-store.ts'
import { createWithConstants, type LoginAlerts } from '../src/create.ts'
import { CONSTANTS, type Constants, type LoginAlertsOptions } from '../src/options.ts'

export type { House }

/** The options of login alerts, and the constants that only tests change. */
export type TestAlertOptions = LoginAlertsOptions &
  Partial<Constants> & {
    /** True if both users have signed in before. Each login of a test then causes an alert. */
    readonly hasHistory?: boolean
  }

const alertsOf = new WeakMap<TestDevices, LoginAlerts>()

export function createAlerts(devices: TestDevices, given: TestAlertOptions): LoginAlerts {
  const { sendTimeout, mailsPerHour, linkLifetime, pageRate, hasHistory: _, ...options } = given
  const constants = { sendTimeout, mailsPerHour, linkLifetime, pageRate }
  const defined = Object.entries(constants).filter(([, value]) => value !== undefined)
  return createWithConstants(devices as never, options, {
    ...CONSTANTS,
    ...Object.fromEntries(defined),
  })
}

/** Nodes that are opened later also have login alerts. */
export async function openHouse(
  engine: TestEngine,
  settings: TestSettings,
  { alerts, ...more }: Partial<TestDevicesOptions> & { readonly alerts: TestAlertOptions },
): Promise<House> {
  const house = await openDevices(
    engine,
    settings,
    more,
    (devices) => void alertsOf.set(devices, createAlerts(devices, alerts)),
    [deviceMigrations, loginAlertMigrations],
  )
  if (!alerts.hasHistory) return house
  for (const [userId, username] of [
    ['1', 'ada'],
    ['2', 'grace'],
  ] as const) {
    await new BearerClient(house.devices).login(username)
    await house.devices.registry.revokeAll(userId)
  }
  house.signals.take()
  return house
}

export async function sendAlerts(devices: TestDevices | undefined): Promise<number> {
  return (await (devices && alertsOf.get(devices))?.sendDue()) ?? 0
}
