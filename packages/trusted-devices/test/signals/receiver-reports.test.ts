import { expect, it } from 'vitest'
import type { DeviceEvent } from '../../src/devices/device-event.ts'
import { receiverReports } from '../../src/signals/receiver-reports.ts'

const event = (kind: DeviceEvent['kind']): DeviceEvent =>
  ({ kind, eventId: 'e1', userId: '1', device: { uid: 'd1' } }) as DeviceEvent

it.each([
  ['revoked', 'device_revoked of device d1, user 1.'],
  ['refused', 'login_refused, user 1.'], // A refused login has a device, but it was not registered.
] as const)('the log names what was lost with an event: %s', (kind, named) => {
  const log: string[] = []
  const logger = { warn: () => {}, error: (line: string) => void log.push(line) }
  receiverReports(1, logger).onLost([event(kind)], new Error('down'))
  expect(log).toEqual([
    expect.stringContaining(`The event e1 is lost: ${named} users.findById failed`),
  ])
})
