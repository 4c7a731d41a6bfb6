import { afterEach, describe, expect, it, vi } from 'vitest'
import type { DeviceEvent } from '../../src/devices/device-event.ts'
import { TrustedDevice } from '../../src/devices/trusted-device.ts'
import { Dispatcher } from '../../src/signals/dispatcher.ts'
import { createPublisher, type PublisherOptions } from '../../src/signals/publisher.ts'
import { createSignals } from '../../src/signals/signals.ts'

/** A publisher whose receivers finish when the gate opens. */
function setUp(options: Partial<PublisherOptions> = {}) {
  const own = createSignals()
  const lost: [string, string][] = []
  const unfinished: string[] = []
  const publisher = createPublisher({
    dispatcher: new Dispatcher({
      sender: () => ({}) as never,
      own,
      bus: createSignals(),
      onReceiverError() {},
    }),
    users: { find: async (id) => ({ id }), deleted: (id) => ({ id }) },
    timeout: 0.01,
    onSlowReceiver: () => {},
    onLost: (events, error) =>
      lost.push(...events.map(({ eventId }): [string, string] => [eventId, String(error)])),
    onUnfinished: (receivers) => unfinished.push(...receivers.map(({ eventId }) => eventId)),
    ...options,
  })
  return { own, publisher, lost, unfinished }
}

function revoked(eventId: string, userId = '1'): DeviceEvent {
  const device = new TrustedDevice({
    ...{
      uid: eventId,
      userId,
      name: '',
      city: null,
      country: null,
      address: null,
      lastAddress: null,
      userAgent: '',
    },
    ...{
      browser: null,
      os: null,
      deviceType: null,
      createdAt: new Date(0),
      lastSeenAt: new Date(0),
    },
    ...{ canDeleteOthers: true, canEditOthers: true, secondFactorRememberedUntil: null },
  })
  const about = { eventId, userId, at: new Date(0), actor: null }
  return { kind: 'revoked', device, reason: 'stale', sessionId: null, ...about }
}

const WHERE = { signal: 'device_revoked', receiverId: null }
const down = (): Promise<never> => Promise.reject(new Error('down'))

afterEach(() => vi.useRealTimers())

describe('an event whose user cannot be found', () => {
  it('is lost after some attempts, and named with its id; no receiver gets it', async () => {
    let attempts = 0
    const find = (): Promise<never> => {
      attempts++
      return down()
    }
    const { own, publisher, lost } = setUp({
      users: { find, deleted: (id) => ({ id }) },
      pauses: [0.001, 0.002],
    })
    const heard: unknown[] = []
    own.deviceRevoked.connect(({ user }) => heard.push(user))
    await publisher.publish([revoked('e1'), revoked('e2')])
    const report = await publisher.settle(5)
    expect(attempts).toBe(3)
    expect(lost).toEqual([
      ['e1', 'Error: down'],
      ['e2', 'Error: down'],
    ])
    expect(report).toEqual({
      unfinished: [],
      lost: [
        { ...WHERE, eventId: 'e1' },
        { ...WHERE, eventId: 'e2' },
      ],
    })
    expect(heard).toEqual([])
  })

  it.each([
    ['fails', down],
    ['hangs', () => new Promise<never>(() => {})],
  ])('is lost when the process closes while users.findById %s', async (_how, find) => {
    const { publisher, lost } = setUp({ users: { find, deleted: (id) => ({ id }) }, pauses: [60] })
    await publisher.publish([revoked('e1')])
    expect((await publisher.settle(0)).unfinished).toEqual([{ ...WHERE, eventId: 'e1' }])
    await publisher.close(0.02)
    expect(lost).toEqual([
      ['e1', 'Error: users.findById gave no answer before close() had waited 0.02 s.'],
    ])
  })
})

describe('publishFully', () => {
  it('waits until slow receivers are done, which publish does not', async () => {
    const { own, publisher } = setUp()
    const heard: string[] = []
    const gate = Promise.withResolvers<void>()
    own.deviceRevoked.connect(async ({ eventId }) => {
      await gate.promise
      heard.push(eventId)
    })
    await publisher.publish([revoked('e1')])
    const published = publisher.publishFully([revoked('e2', '2'), revoked('e3', '2')])
    setTimeout(gate.resolve, 40) // Later than `timeout`.
    await published
    expect(heard).toEqual(['e1', 'e2', 'e3'])
  })

  it('waits for the deadline once, not for every user, when a receiver hangs', async () => {
    vi.useFakeTimers()
    const { own, publisher } = setUp()
    own.deviceRevoked.connect(() => new Promise(() => {}))
    const published: string[] = []
    const publish = async (eventId: string): Promise<void> => {
      await publisher.publishFully([revoked(eventId, eventId)])
      published.push(eventId)
    }
    const all = (async () => {
      for (const eventId of ['e1', 'e2', 'e3']) await publish(eventId)
    })()
    await vi.advanceTimersByTimeAsync(59_000)
    expect(published).toEqual([])
    await vi.advanceTimersByTimeAsync(2000)
    await all
    expect(published).toEqual(['e1', 'e2', 'e3'])
  })
})

describe('settle', () => {
  it('returns each lost event once', async () => {
    const { publisher } = setUp({ users: { find: down, deleted: (id) => ({ id }) }, pauses: [] })
    await publisher.publish([revoked('e1')])
    expect((await publisher.settle(5)).lost).toEqual([{ ...WHERE, eventId: 'e1' }])
    await publisher.publish([revoked('e2')])
    expect((await publisher.settle(5)).lost).toEqual([{ ...WHERE, eventId: 'e2' }])
    expect((await publisher.settle(5)).lost).toEqual([])
  })

  it('returns the receivers that have not finished, and close reports them', async () => {
    const { own, publisher, unfinished } = setUp()
    const gate = Promise.withResolvers<void>()
    own.deviceRevoked.connect(() => gate.promise, { id: 'audit' })
    await publisher.publish([revoked('e1')])
    const where = { signal: 'device_revoked', receiverId: 'audit', eventId: 'e1' }
    expect(await publisher.settle(0.01)).toEqual({ unfinished: [where], lost: [] })
    await publisher.close(0.01)
    expect(unfinished).toEqual(['e1'])
    gate.resolve()
    expect(await publisher.settle(5)).toEqual({ unfinished: [], lost: [] })
  })
})
