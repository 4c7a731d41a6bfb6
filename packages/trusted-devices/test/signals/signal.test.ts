import { describe, expect, it } from 'vitest'
import {
  callReceivers,
  type DeliverOptions,
  deliver,
  type ReceiverFailure,
} from '../../src/signals/receivers.ts'
import { Signal } from '../../src/signals/signal.ts'
import { signalBus } from '../../src/signals/signals.ts'

interface Payload {
  readonly sender: unknown
  readonly eventId: string
}

const payload: Payload = { sender: 'devices', eventId: 'e1' }

/** Deliveries that wait for receivers for `timeout` seconds, with what they report. */
function setUp(timeout = 1) {
  const signal = new Signal<Payload>('test_signal')
  const failures: [unknown, ReceiverFailure][] = []
  const slow: ReceiverFailure[] = []
  const options: DeliverOptions = {
    timeout,
    slowAfter: timeout,
    onSlowReceiver: (where) => slow.push(where),
  }
  const send = (...events: Payload[]): Promise<void> => {
    const sent = events.length === 0 ? [payload] : events
    return deliver(
      sent.map(
        (event) => () =>
          callReceivers([signal], event, (error, where) => failures.push([error, where])),
      ),
      options,
    )
  }
  return { signal, failures, slow, options, send }
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

  it.each([
    [undefined, 'not undefined'],
    ['x', 'not string'],
    [{ id: 'mail' }, 'not object'],
  ])('throws at once for %j, which is no function', (receiver, what) => {
    const { signal } = setUp()
    const connect = (): unknown => signal.connect(receiver as never)
    expect(connect).toThrow(
      `connect of test_signal needs a function as receiver: connect((event) => …), ${what}.`,
    )
    expect(connect).toThrow(expect.objectContaining({ code: 'configuration_error' }))
    expect(signal.connections('devices')).toEqual([])
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

  it('reports a receiver that takes longer than the timeout as slow, once, and lets it go on', async () => {
    const { signal, failures, slow, send } = setUp(0.01)
    const late = Promise.withResolvers<void>()
    const calls: string[] = []
    signal.connect(
      async () => {
        await late.promise
        calls.push('late')
      },
      { id: 'mail' },
    )
    signal.connect(() => calls.push('in time'))
    await send()
    expect(calls).toEqual(['in time'])
    const where = { signal: 'test_signal', receiverId: 'mail', eventId: 'e1' }
    await expect.poll(() => slow).toEqual([where])
    late.resolve()
    await new Promise(setImmediate)
    expect(calls).toEqual(['in time', 'late'])
    expect(failures).toEqual([])
    expect(slow).toEqual([where])
  })

  it('reports a slow receiver as failed when it rejects in the end', async () => {
    const { signal, failures, slow, send } = setUp(0.01)
    const late = Promise.withResolvers<void>()
    signal.connect(() => late.promise)
    await send()
    await expect.poll(() => slow).toHaveLength(1)
    late.reject(new Error('later'))
    await new Promise(setImmediate)
    expect(failures.map(([error]) => String(error))).toEqual(['Error: later'])
  })

  it('with a timeout of 0 waits for no asynchronous receiver, and reports none as slow', async () => {
    const { signal, failures, slow, send } = setUp(0)
    const calls: string[] = []
    const gate = Promise.withResolvers<void>()
    signal.connect(({ eventId }) => void calls.push(eventId))
    signal.connect(() => gate.promise)
    signal.connect(() => Promise.reject(new Error('rejected')))
    await send({ ...payload, eventId: '1' }, { ...payload, eventId: '2' })
    expect(calls).toEqual(['1', '2'])
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(slow).toEqual([])
    expect(failures.map(([error]) => String(error))).toEqual(['Error: rejected', 'Error: rejected'])
    gate.resolve()
  })

  it('sends the events of one batch in order, each after the one before it', async () => {
    const { signal, send } = setUp()
    const calls: string[] = []
    signal.connect(async ({ eventId }) => {
      calls.push(`${eventId} begins`)
      await new Promise(setImmediate)
      calls.push(`${eventId} ends`)
    })
    await send({ sender: null, eventId: '1' }, { sender: null, eventId: '2' })
    expect(calls).toEqual(['1 begins', '1 ends', '2 begins', '2 ends'])
  })

  it('sends all events when the time is up, and reports only the receiver that hangs', async () => {
    const { signal, slow, failures, send } = setUp(0.01)
    const calls: string[] = []
    signal.connect(({ eventId }) => (eventId === '1' ? new Promise(() => {}) : calls.push(eventId)))
    await send(...['1', '2', '3'].map((eventId) => ({ sender: null, eventId })))
    expect(calls).toEqual(['2', '3'])
    await expect.poll(() => slow.map(({ eventId }) => eventId)).toEqual(['1'])
    expect(failures).toEqual([])
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
    const { signal, options } = setUp()
    signal.connect(() => Promise.reject(new Error('x')))
    const call = () =>
      callReceivers([signal], payload, () => {
        throw new Error('the logger is broken too')
      })
    await deliver([call], options)
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
