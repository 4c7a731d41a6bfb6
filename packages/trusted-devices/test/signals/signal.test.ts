import { describe, expect, it } from 'vitest'
import { Signal } from '../../src/signals/signal.ts'
import { signalBus } from '../../src/signals/signals.ts'

const payload = { eventId: 'e1' }

function setUp() {
  const signal = new Signal<typeof payload>('test_signal')
  const send = (): void => {
    for (const { receiver } of signal.connections()) receiver(payload)
  }
  return { signal, send }
}

describe('connect', () => {
  it('calls receivers in the order of connection, with the payload', () => {
    const { signal, send } = setUp()
    const calls: unknown[] = []
    signal.connect((event) => calls.push(['first', event]))
    signal.connect((event) => calls.push(['second', event]))
    send()
    expect(calls).toEqual([
      ['first', payload],
      ['second', payload],
    ])
  })

  it('returns a function that disconnects only once', () => {
    const { signal, send } = setUp()
    const calls: string[] = []
    const receiver = (): void => void calls.push('called')
    const disconnect = signal.connect(receiver)
    signal.connect(receiver)
    disconnect()
    disconnect()
    send()
    expect(calls).toEqual(['called'])
  })

  it('replaces the receiver with the same id, and an old disconnect does not remove the new one', () => {
    const { signal, send } = setUp()
    const calls: string[] = []
    const undo = signal.connect(() => calls.push('old'), { id: 'mail' })
    signal.connect(() => calls.push('new'), { id: 'mail' })
    undo()
    send()
    expect(calls).toEqual(['new'])
  })

  it.each([
    [undefined, ''],
    ['x', ' (got "x")'],
    [{ id: 'mail' }, ' (got an object)'],
  ])('throws immediately for %j, which is not a function', (receiver, what) => {
    const { signal } = setUp()
    const connect = (): unknown => signal.connect(receiver as never)
    expect(connect).toThrow(
      `connect of test_signal must be called with a function, for example connect((event) => …)${what}.`,
    )
    expect(connect).toThrow(expect.objectContaining({ code: 'configuration_error' }))
    expect(signal.connections()).toEqual([])
  })
})

describe('signalBus', () => {
  it('is shared by the whole process under a registered symbol', () => {
    const holder = globalThis as unknown as Record<symbol, unknown>
    const bus = signalBus()
    expect(holder[Symbol.for('quillgate.trusted-devices.signals.v1')]).toBe(bus)
    expect(signalBus()).toBe(bus)
  })
})
