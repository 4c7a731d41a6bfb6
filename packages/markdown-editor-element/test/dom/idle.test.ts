import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { IdleTimer } from '../../src/dom/idle.ts'

describe('an idle listener', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  it('is called once per pause, about 150 ms after the last change, and never before', () => {
    const times = fc.array(fc.array(fc.integer({ min: 0, max: 120 }), { minLength: 1 }), {
      minLength: 1,
      maxLength: 5,
    })
    fc.assert(
      fc.property(times, (bursts) => {
        const timer = new IdleTimer()
        const calledAt: number[] = []
        timer.listeners.add(() => calledAt.push(performance.now()))
        const ends = bursts.map((gaps) => {
          for (const gap of gaps) {
            vi.advanceTimersByTime(gap)
            timer.note()
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
    const timer = new IdleTimer()
    const set = vi.spyOn(globalThis, 'setTimeout')
    for (let key = 0; key < 10; key++) {
      timer.note()
      vi.advanceTimersByTime(5)
      timer.note()
      vi.advanceTimersByTime(75)
    }
    expect(set).toHaveBeenCalledTimes(10)
  })

  it('is called even if another listener throws, and the error is reported', () => {
    const reported = vi.fn()
    vi.stubGlobal('reportError', reported)
    const timer = new IdleTimer()
    const listener = vi.fn()
    timer.listeners.add(() => {
      throw new Error('of a listener')
    })
    timer.listeners.add(listener)
    timer.note()
    vi.advanceTimersByTime(500)
    expect(listener).toHaveBeenCalledOnce()
    expect(reported).toHaveBeenCalledOnce()
    vi.unstubAllGlobals()
  })

  it('is not called after the end', () => {
    const timer = new IdleTimer()
    const listener = vi.fn()
    timer.listeners.add(listener)
    timer.note()
    timer.end()
    vi.advanceTimersByTime(1000)
    expect(listener).not.toHaveBeenCalled()
  })
})
