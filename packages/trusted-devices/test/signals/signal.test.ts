import { describe, expect, it } from 'vitest'
import { deliver, type ReceiverFailure, ReceiverTimeoutError, toDelivery } from '../../src/signals/deliver.ts'
import { Signal } from '../../src/signals/signal.ts'
import { signalBus } from '../../src/signals/signals.ts'

interface Payload {
  readonly sender: unknown
  readonly eventId: string
}

const payload: Payload = { sender: 'devices', eventId: 'e1' }

function setUp(timeout = 1) {
  const signal = new Signal<Payload>('test_signal')
  const failures: [unknown, ReceiverFailure][] = []
  const send = (event: Payload = payload): Promise<void> =>
    deliver([toDelivery([signal], event)], {
      timeout,
      onReceiverError: (error, where) => failures.push([error, where]),
    })
  return { signal, failures, send }
}

describe('connect', () => {
  it('calls receivers in the order in which they were connected, with the payload', async () => {
    const { signal, send } = setUp()
    const calls: unknown[] = []
    signal.connect((event) => calls.push(['first', event]))
    signal.connect((event) => calls.push(['second', event]))
    await send()
    expect(calls).toEqual([
      ['first', payload],
      ['second', payload],
    ])
  })

  it('returns a function that disconnects, once', async () => {
    const { signal, send } = setUp()
    const calls: string[] = []
    const receiver = (): void => void calls.push('called')
    const disconnect = signal.connect(receiver)
    signal.connect(receiver)
    disconnect()
    disconnect()
    await send()
    expect(calls).toEqual(['called'])
  })

  it('replaces the receiver with the same id, and an old undo does not undo the new one', async () => {
    const { signal, send } = setUp()
    const calls: string[] = []
    const undo = signal.connect(() => calls.push('old'), { id: 'mail' })
    signal.connect(() => calls.push('new'), { id: 'mail' })
    undo()
    await send()
    expect(calls).toEqual(['new'])
  })

  it('calls only receivers of this sender, or of all', async () => {
    const { signal, send } = setUp()
    const calls: string[] = []
    signal.connect(() => calls.push('ours'), { sender: 'devices' })
    signal.connect(() => calls.push('theirs'), { sender: 'others' })
    signal.connect(() => calls.push('all'))
    await send()
    expect(calls).toEqual(['ours', 'all'])
  })
})

describe('deliver', () => {
  it('keeps receivers from each other: one that throws, one that rejects, and one that goes on', async () => {
    const { signal, failures, send } = setUp()
    const calls: string[] = []
    signal.connect(
      () => {
        throw new Error('thrown')
      },
      { id: 'a' },
    )
    signal.connect(async () => {
      await Promise.resolve()
      throw new Error('rejected')
    })
    signal.connect(() => Promise.reject('no error object'))
    signal.connect(async () => {
      await Promise.resolve()
      calls.push('fine')
    })
    await send()
    expect(calls).toEqual(['fine'])
    const where = { signal: 'test_signal', receiverId: null, eventId: 'e1' }
    expect(failures).toHaveLength(3)
    expect(failures).toContainEqual([new Error('thrown'), { ...where, receiverId: 'a' }])
    expect(failures).toContainEqual([new Error('rejected'), where])
    expect(failures).toContainEqual(['no error object', where])
  })

  it('stops waiting for a receiver that hangs, says so, and lets it go on', async () => {
    const { signal, failures, send } = setUp(0.01)
    const late = Promise.withResolvers<void>()
    const calls: string[] = []
    signal.connect(async () => {
      await late.promise
      calls.push('late')
    })
    signal.connect(() => calls.push('in time'))
    await send()
    expect(calls).toEqual(['in time'])
    expect(failures).toHaveLength(1)
    expect(failures[0]?.[0]).toBeInstanceOf(ReceiverTimeoutError)
    late.resolve()
    await new Promise(setImmediate)
    expect(calls).toEqual(['in time', 'late'])
  })

  it('hears of a receiver that fails after the time was up', async () => {
    const { signal, failures, send } = setUp(0.01)
    const late = Promise.withResolvers<void>()
    signal.connect(() => late.promise)
    await send()
    late.reject(new Error('later'))
    await new Promise(setImmediate)
    expect(failures.map(([error]) => (error as Error).name)).toEqual(['ReceiverTimeoutError', 'Error'])
  })

  it('sends the events of one batch in order, each after the one before it', async () => {
    const signal = new Signal<Payload>('test_signal')
    const calls: string[] = []
    signal.connect(async ({ eventId }) => {
      calls.push(`${eventId} begins`)
      await new Promise(setImmediate)
      calls.push(`${eventId} ends`)
    })
    const events = ['1', '2'].map((eventId) => toDelivery([signal], { sender: null, eventId }))
    await deliver(events, { timeout: 1, onReceiverError: () => {} })
    expect(calls).toEqual(['1 begins', '1 ends', '2 begins', '2 ends'])
  })

  it('sends all events when the time is up, and takes nobody for late who was not waited for', async () => {
    const signal = new Signal<Payload>('test_signal')
    const failures: unknown[] = []
    const calls: string[] = []
    signal.connect(({ eventId }) => (eventId === '1' ? new Promise(() => {}) : calls.push(eventId)))
    const events = ['1', '2', '3'].map((eventId) => toDelivery([signal], { sender: null, eventId }))
    await deliver(events, { timeout: 0.01, onReceiverError: (error) => failures.push(error) })
    expect(calls).toEqual(['2', '3'])
    expect(failures).toHaveLength(1)
  })

  it('does not call a receiver that is connected while the event is sent, until the next event', async () => {
    const { signal, send } = setUp()
    const calls: string[] = []
    signal.connect(
      () => {
        calls.push('outer')
        signal.connect(() => calls.push('inner'), { id: 'inner' })
      },
      { id: 'outer' },
    )
    await send()
    expect(calls).toEqual(['outer'])
    await send()
    expect(calls).toEqual(['outer', 'outer', 'inner'])
  })

  it('survives an onReceiverError that throws', async () => {
    const signal = new Signal<Payload>('test_signal')
    signal.connect(() => Promise.reject(new Error('x')))
    await deliver([toDelivery([signal], payload)], {
      timeout: 1,
      onReceiverError: () => {
        throw new Error('the logger is broken too')
      },
    })
  })
})

describe('signalBus', () => {
  it('is one for the whole process, under a registered symbol', () => {
    const holder = globalThis as unknown as Record<symbol, unknown>
    const bus = signalBus()
    expect(holder[Symbol.for('quillgate.trusted-devices.signals.v1')]).toBe(bus)
    expect(signalBus()).toBe(bus)
  })
})
