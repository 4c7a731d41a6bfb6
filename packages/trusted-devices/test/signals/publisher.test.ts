import { afterEach, describe, expect, it, vi } from 'vitest'
import type { DeviceEvent } from '../../src/devices/device-event.ts'
import { TrustedDevice } from '../../src/devices/tables/trusted-device.ts'
import { Deliveries } from '../../src/signals/deliveries.ts'
import { Dispatcher, type DispatcherOptions } from '../../src/signals/dispatcher.ts'
import { Publisher } from '../../src/signals/publisher.ts'
import { createSignals } from '../../src/signals/signals.ts'

interface TestOptions {
  readonly find?: DispatcherOptions['users']['find']
  readonly pauses?: readonly number[]
  readonly receiverTimeout?: number
}

/** Creates a publisher that calls receivers directly. */
function setUp({ find, pauses, receiverTimeout = 0.01 }: TestOptions = {}) {
  const own = createSignals()
  const warnings: string[] = []
  const errors: string[] = []
  const logger = {
    warn: (message: string) => void warnings.push(message),
    error: (message: string, error?: unknown) => void errors.push(`${message} ${error}`),
  }
  const deliveries = new Deliveries()
  const dispatcher = new Dispatcher({
    ...{ sender: () => ({}) as never, own, bus: createSignals() },
    users: { find: find ?? (async (id) => ({ id })), deleted: (id) => ({ id }) },
    ...{ deliveries, receiverTimeout, logger },
  })
  const options = { dispatcher, outbox: null, deliveries, receiverTimeout, logger }
  const publisher = new Publisher({ ...options, ...(pauses ? { pauses } : {}) })
  return { own, publisher, warnings, errors }
}

function eventOf(eventId: string, userId = '1') {
  const device = new TrustedDevice({
    ...{ uid: eventId, userId, name: '', city: null, country: null, address: null },
    ...{ lastAddress: null, userAgent: '', browser: null, os: null, deviceType: null },
    ...{ createdAt: new Date(0), lastSeenAt: new Date(0) },
    ...{ canDeleteOthers: true, canEditOthers: true, secondFactorRememberedUntil: null },
  })
  return { eventId, userId, at: new Date(0), actor: null, device }
}

function revoked(eventId: string, userId?: string): DeviceEvent {
  return { ...eventOf(eventId, userId), kind: 'revoked', reason: 'stale', sessionId: null }
}

const WHERE = { signal: 'device_revoked', receiverId: null }
const OWNER = { id: '1' }
const down = (): Promise<never> => Promise.reject(new Error('down'))

afterEach(() => vi.useRealTimers())

describe('receivers', () => {
  it('do not affect each other when one throws or rejects', async () => {
    const { own, publisher, errors } = setUp({ receiverTimeout: 1 })
    const calls: string[] = []
    own.deviceRevoked.connect(
      () => {
        throw new Error('thrown')
      },
      { id: 'a' },
    )
    own.deviceRevoked.connect(async () => {
      await Promise.resolve()
      throw new Error('rejected')
    })
    own.deviceRevoked.connect(() => Promise.reject('no error object'))
    own.deviceRevoked.connect(async () => {
      await Promise.resolve()
      calls.push('fine')
    })
    await publisher.publish([revoked('e1')], OWNER)
    expect(calls).toEqual(['fine'])
    expect(errors).toHaveLength(3)
    expect(errors).toContain('A receiver of device_revoked failed (a). Error: thrown')
    expect(errors).toContain('A receiver of device_revoked failed. Error: rejected')
    expect(errors).toContain('A receiver of device_revoked failed. no error object')
  })

  it('are reported as slow once, and continue', async () => {
    const { own, publisher, warnings, errors } = setUp()
    const late = Promise.withResolvers<void>()
    const calls: string[] = []
    own.deviceRevoked.connect(
      async () => {
        await late.promise
        calls.push('late')
      },
      { id: 'mail' },
    )
    own.deviceRevoked.connect(() => calls.push('in time'))
    await publisher.publish([revoked('e1')], OWNER)
    expect(calls).toEqual(['in time'])
    const slow = expect.stringContaining('A receiver of device_revoked is slow (mail): it has not')
    await expect.poll(() => warnings).toEqual([slow])
    late.resolve()
    await publisher.settle(5)
    expect(calls).toEqual(['in time', 'late'])
    expect(errors).toEqual([])
    expect(warnings).toEqual([slow])
  })

  it('are reported as failed if they are slow and reject later', async () => {
    const { own, publisher, warnings, errors } = setUp()
    const late = Promise.withResolvers<void>()
    own.deviceRevoked.connect(() => late.promise)
    await publisher.publish([revoked('e1')], OWNER)
    await expect.poll(() => warnings).toHaveLength(1)
    late.reject(new Error('later'))
    await publisher.settle(5)
    expect(errors).toEqual(['A receiver of device_revoked failed. Error: later'])
  })

  it('are not awaited with a receiverTimeout of 0, and none is reported as slow', async () => {
    const { own, publisher, warnings, errors } = setUp({ receiverTimeout: 0 })
    const calls: string[] = []
    const gate = Promise.withResolvers<void>()
    own.deviceRevoked.connect(({ eventId }) => void calls.push(eventId))
    own.deviceRevoked.connect(() => gate.promise)
    own.deviceRevoked.connect(() => Promise.reject(new Error('rejected')))
    await publisher.publish([revoked('e1'), revoked('e2')], OWNER)
    expect(calls).toEqual(['e1', 'e2'])
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(warnings).toEqual([])
    expect(errors).toHaveLength(2)
    gate.resolve()
  })

  it('get the events of a batch in order, one after the other', async () => {
    const { own, publisher } = setUp({ receiverTimeout: 1 })
    const calls: string[] = []
    own.deviceRevoked.connect(async ({ eventId }) => {
      calls.push(`${eventId} begins`)
      await new Promise(setImmediate)
      calls.push(`${eventId} ends`)
    })
    await publisher.publish([revoked('e1'), revoked('e2')], OWNER)
    expect(calls).toEqual(['e1 begins', 'e1 ends', 'e2 begins', 'e2 ends'])
  })

  it('get all events after a timeout, and only the one that hangs is reported', async () => {
    const { own, publisher, warnings, errors } = setUp()
    const calls: string[] = []
    own.deviceRevoked.connect(({ eventId }) =>
      eventId === 'e1' ? new Promise(() => {}) : calls.push(eventId),
    )
    await publisher.publish(
      ['e1', 'e2', 'e3'].map((eventId) => revoked(eventId)),
      OWNER,
    )
    await expect.poll(() => calls).toEqual(['e2', 'e3'])
    await expect.poll(() => warnings).toEqual([expect.stringContaining('is slow')])
    expect(errors).toEqual([])
  })

  it('that are connected during an event are called for the next one', async () => {
    const { own, publisher } = setUp()
    const calls: string[] = []
    own.deviceRevoked.connect(
      () => {
        calls.push('outer')
        own.deviceRevoked.connect(() => calls.push('inner'), { id: 'inner' })
      },
      { id: 'outer' },
    )
    await publisher.publish([revoked('e1')], OWNER)
    expect(calls).toEqual(['outer'])
    await publisher.publish([revoked('e2')], OWNER)
    expect(calls).toEqual(['outer', 'outer', 'inner'])
  })
})

describe('an event whose user cannot be found', () => {
  it('is lost after several attempts, is logged with its id, and reaches no receiver', async () => {
    const find = vi.fn(down)
    const { own, publisher, errors } = setUp({ find, pauses: [0.001, 0.002] })
    const received: unknown[] = []
    own.deviceRevoked.connect(({ user }) => received.push(user))
    await publisher.publish([revoked('e1'), revoked('e2')])
    const report = await publisher.settle(5)
    expect(find).toHaveBeenCalledTimes(3)
    expect(errors).toEqual([
      expect.stringMatching(
        /^The event e1 is lost: device_revoked of device e1, user 1\. users\.findById failed .* Error: down$/,
      ),
      expect.stringMatching(/^The event e2 is lost: /),
    ])
    expect(report).toEqual({
      unfinished: [],
      lost: [
        { ...WHERE, eventId: 'e1' },
        { ...WHERE, eventId: 'e2' },
      ],
    })
    expect(received).toEqual([])
  })

  it.each([
    ['fails', down],
    ['hangs', () => new Promise<never>(() => {})],
  ])('is logged when the process closes while users.findById %s', async (_how, find) => {
    const { publisher, warnings } = setUp({ find, pauses: [60] })
    await publisher.publish([revoked('e1')])
    expect((await publisher.settle(0)).unfinished).toEqual([{ ...WHERE, eventId: 'e1' }])
    await publisher.close(0.02)
    expect(warnings).toEqual([
      'A receiver of device_revoked has not finished. close() no longer waits for this receiver. Event e1.',
    ])
  })
})

describe('publishWithin', () => {
  it('waits for slow receivers, for which publish does not wait', async () => {
    const { own, publisher } = setUp()
    const received: string[] = []
    const gate = Promise.withResolvers<void>()
    own.deviceRevoked.connect(async ({ eventId }) => {
      await gate.promise
      received.push(eventId)
    })
    await publisher.publish([revoked('e1')])
    const published = publisher.publishWithin(5, [revoked('e2', '2'), revoked('e3', '2')])
    expect(received).toEqual([])
    setTimeout(gate.resolve, 40) // The receiver takes longer than `receiverTimeout`.
    expect(await published).toBe(true)
    expect(received).toEqual(['e1', 'e2', 'e3'])
  })

  it('waits only for its own receivers', async () => {
    const { own, publisher } = setUp()
    const gate = Promise.withResolvers<void>()
    own.deviceRevoked.connect(({ eventId }) => (eventId === 'e1' ? gate.promise : undefined))
    await publisher.publish([revoked('e1')])
    expect(await publisher.publishWithin(5, [revoked('e2', '2')])).toBe(true)
    expect((await publisher.settle(0)).unfinished).toEqual([{ ...WHERE, eventId: 'e1' }])
    gate.resolve()
  })

  it('publishes events one after the other, even with a receiverTimeout of 0', async () => {
    const { own, publisher } = setUp({ receiverTimeout: 0 })
    const calls: string[] = []
    own.deviceRevoked.connect(async ({ eventId }) => {
      calls.push(`${eventId} begins`)
      await new Promise(setImmediate)
      calls.push(`${eventId} ends`)
    })
    expect(await publisher.publishWithin(5, [revoked('e1'), revoked('e2')])).toBe(true)
    expect(calls).toEqual(['e1 begins', 'e1 ends', 'e2 begins', 'e2 ends'])
  })

  it('returns true when the user cannot be looked up, because no receiver is late', async () => {
    const { publisher } = setUp({ find: down, pauses: [] })
    expect(await publisher.publishWithin(5, [revoked('e1')])).toBe(true)
  })

  it('ends at the deadline when a receiver hangs, and publishes the other events', async () => {
    vi.useFakeTimers()
    const { own, publisher } = setUp()
    const received: string[] = []
    own.deviceRevoked.connect(({ eventId }) => {
      received.push(eventId)
      return eventId === 'e1' ? new Promise(() => {}) : undefined
    })
    let areDone: boolean | null = null
    const publishing = publisher.publishWithin(60, [revoked('e1'), revoked('e2')])
    void publishing.then((result) => {
      areDone = result
    })
    await vi.advanceTimersByTimeAsync(59_000)
    expect(areDone).toBeNull()
    await vi.advanceTimersByTimeAsync(2000)
    expect(areDone).toBe(false)
    expect(received).toEqual(['e1', 'e2'])
  })
})

describe('settle', () => {
  it('returns each lost event once', async () => {
    const { publisher } = setUp({ find: down, pauses: [] })
    await publisher.publish([revoked('e1')])
    expect((await publisher.settle(5)).lost).toEqual([{ ...WHERE, eventId: 'e1' }])
    await publisher.publish([revoked('e2')])
    expect((await publisher.settle(5)).lost).toEqual([{ ...WHERE, eventId: 'e2' }])
    expect((await publisher.settle(5)).lost).toEqual([])
  })

  it('returns the receivers that have not finished, and close logs them', async () => {
    const { own, publisher, warnings } = setUp({ receiverTimeout: 0 })
    const gate = Promise.withResolvers<void>()
    own.deviceRevoked.connect(() => gate.promise, { id: 'audit' })
    await publisher.publish([revoked('e1')])
    const where = { signal: 'device_revoked', receiverId: 'audit', eventId: 'e1' }
    await expect.poll(() => publisher.settle(0.01)).toEqual({ unfinished: [where], lost: [] })
    await publisher.close(0.01)
    expect(warnings).toEqual([
      'A receiver of device_revoked (audit) has not finished. close() no longer waits for this receiver. Event e1.',
    ])
    gate.resolve()
    expect(await publisher.settle(5)).toEqual({ unfinished: [], lost: [] })
  })
})
