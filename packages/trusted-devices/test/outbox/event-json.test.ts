import { TrustedDevice } from '@quillgate/trusted-devices'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DeviceEvent } from '../../src/devices/device-event.ts'
import { readEvent, writeEvent } from '../../src/outbox/event-json.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\0', '\ud800', '$date', '"', '__proto__'),
)
const optional = fc.option(text)
const date = fc.date({ noInvalidDate: true })

const device = fc
  .record({
    ...{ uid: text, userId: text, name: text, userAgent: text },
    ...{ city: optional, country: optional, address: optional, lastAddress: optional },
    ...{ browser: optional, os: optional, deviceType: optional },
    ...{ createdAt: date, lastSeenAt: date, secondFactorRememberedUntil: fc.option(date) },
    ...{ canDeleteOthers: fc.boolean(), canEditOthers: fc.boolean() },
  })
  .map((members) => new TrustedDevice(members))

const base = { eventId: text, at: date, userId: text, actor: optional, device }
const event: fc.Arbitrary<DeviceEvent> = fc.oneof(
  fc.record({
    ...base,
    ...{ kind: fc.constant('created' as const), reason: fc.constant('login' as const) },
    ...{ returning: fc.boolean(), isFirst: fc.boolean(), suspicious: fc.boolean() },
  }),
  fc.record({ ...base, kind: fc.constant('revoked' as const), reason: text, sessionId: optional }),
  fc.record({
    ...base,
    ...{
      kind: fc.constant('suspicious' as const),
      reason: fc.constant('new_country'),
    },
    previousCountries: fc.array(text),
  }),
  fc.record({
    ...base,
    ...{
      kind: fc.constant('compromised' as const),
      reason: fc.constant('refresh_token_reused' as const),
    },
  }),
)

describe('a stored event', () => {
  it('is read as it was written, as text that every database can store', () => {
    fc.assert(
      fc.property(event, (given) => {
        const written = writeEvent(given)
        expect(written).not.toContain('\0')
        expect(written.isWellFormed()).toBe(true)
        const read = readEvent(written)
        expect(read).toEqual(given)
        expect(read.device).toBeInstanceOf(TrustedDevice)
        expect(Object.isFrozen(read.device)).toBe(true)
      }),
    )
  })

  it('is rejected if it has another format', () => {
    for (const wrong of ['', '{}', 'null', '{"version":2,"event":{}}', '[]'])
      expect(() => readEvent(wrong)).toThrow()
  })
})
