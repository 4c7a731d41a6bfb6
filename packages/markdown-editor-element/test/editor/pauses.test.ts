import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EditorEvents } from '../../src/editor/editor-context.ts'

describe('a listener for pauses', () => {
  let life = new AbortController()
  const start = (): EditorEvents => {
    life = new AbortController()
    return new EditorEvents(new EventTarget() as HTMLElement, life.signal)
  }
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  it('is called once per pause, about 150 ms after the last change, and never before', () => {
    const times = fc.array(fc.array(fc.integer({ min: 0, max: 120 }), { minLength: 1 }), {
      minLength: 1,
      maxLength: 5,
    })
    fc.assert(
      fc.property(times, (bursts) => {
        const events = start()
        const calledAt: number[] = []
        events.pause.add(() => calledAt.push(performance.now()))
        const ends = bursts.map((gaps) => {
          for (const gap of gaps) {
            vi.advanceTimersByTime(gap)
            events.selected()
          }
          const end = performance.now()
          vi.advanceTimersByTime(500)
          return end
        })
        expect(calledAt).toHaveLength(ends.length)
        for (const [index, end] of ends.entries()) {
          const after = (calledAt[index] ?? 0) - end
          expect(after).toBeGreaterThanOrEqual(130)
          expect(after).toBeLessThanOrEqual(150)
        }
      }),
    )
  })

  it('needs one timer for the two events of a key', () => {
    const events = start()
    const set = vi.spyOn(globalThis, 'setTimeout')
    for (let key = 0; key < 10; key++) {
      events.changed()
      vi.advanceTimersByTime(5)
      events.selected()
      vi.advanceTimersByTime(75)
    }
    expect(set).toHaveBeenCalledTimes(10)
  })

  it('is called even if another listener throws, and the error is reported', () => {
    const reported = vi.fn()
    vi.stubGlobal('reportError', reported)
    const events = start()
    const listener = vi.fn()
    events.pause.add(() => {
      throw new Error('of a listener')
    })
    events.pause.add(listener)
    events.selected()
    vi.advanceTimersByTime(500)
    expect(listener).toHaveBeenCalledOnce()
    expect(reported).toHaveBeenCalledOnce()
    vi.unstubAllGlobals()
  })

  it('is not called after the end', () => {
    const events = start()
    const listener = vi.fn()
    events.pause.add(listener)
    events.selected()
    life.abort()
    vi.advanceTimersByTime(1000)
    expect(listener).not.toHaveBeenCalled()
  })
})
