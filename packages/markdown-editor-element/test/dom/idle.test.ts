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
        const quiet = new IdleTimer()
        const heard: number[] = []
        quiet.listeners.add(() => heard.push(performance.now()))
        const ends = bursts.map((gaps) => {
          for (const gap of gaps) {
            vi.advanceTimersByTime(gap)
            quiet.note()
          }
          const end = performance.now()
          vi.advanceTimersByTime(500)
          return end
        })
        expect(heard).toHaveLength(ends.length)
        for (const [index, end] of ends.entries()) {
          const after = (heard[index] ?? 0) - end
          expect(after).toBeGreaterThanOrEqual(130)
          expect(after).toBeLessThanOrEqual(150)
        }
      }),
    )
  })

  it('needs one timer for the two events of a key', () => {
    const quiet = new IdleTimer()
    const set = vi.spyOn(globalThis, 'setTimeout')
    for (let key = 0; key < 10; key++) {
      quiet.note()
      vi.advanceTimersByTime(5)
      quiet.note()
      vi.advanceTimersByTime(75)
    }
    expect(set).toHaveBeenCalledTimes(10)
  })

  it('is called even if another one throws, which is reported', () => {
    const reported = vi.fn()
    vi.stubGlobal('reportError', reported)
    const quiet = new IdleTimer()
    const listener = vi.fn()
    quiet.listeners.add(() => {
      throw new Error('of a listener')
    })
    quiet.listeners.add(listener)
    quiet.note()
    vi.advanceTimersByTime(500)
    expect(listener).toHaveBeenCalledOnce()
    expect(reported).toHaveBeenCalledOnce()
    vi.unstubAllGlobals()
  })

  it('is not called after the end', () => {
    const quiet = new IdleTimer()
    const listener = vi.fn()
    quiet.listeners.add(listener)
    quiet.note()
    quiet.end()
    vi.advanceTimersByTime(1000)
    expect(listener).not.toHaveBeenCalled()
  })
})
