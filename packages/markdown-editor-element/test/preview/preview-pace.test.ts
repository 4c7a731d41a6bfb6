import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { IdleTimer } from '../../src/dom/idle.ts'
import { PreviewPace } from '../../src/preview/preview-pace.ts'

const RENDERING = 10

describe('when a preview beside the text follows', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  /** Someone writes; a preview follows, each of whose updates takes the page so long. */
  const start = (cost = 0) => {
    const pace = new PreviewPace()
    const quiet = new IdleTimer()
    quiet.listeners.add(() => pace.paused())
    const state = { text: 0, shown: 0, times: [] as number[], isRunning: false }
    const follow = async (): Promise<void> => {
      if (state.isRunning) return
      state.isRunning = true
      while (state.shown < state.text) {
        await pace.due()
        const { text } = state
        await new Promise((resolve) => setTimeout(resolve, RENDERING))
        await pace.nextKey()
        state.shown = text
        state.times.push(performance.now())
        pace.shown(cost)
      }
      state.isRunning = false
    }
    const key = async (isText: boolean, gap: number): Promise<void> => {
      if (isText) {
        state.text++
        pace.typed()
        void follow()
      } else pace.moved()
      quiet.note()
      await vi.advanceTimersByTimeAsync(gap)
    }
    return { pace, state, key }
  }

  it('comes 150 ms after the last key', async () => {
    const { state, key } = start()
    await key(true, 80)
    await key(true, 120)
    expect(state.shown).toBe(0)
    await vi.advanceTimersByTimeAsync(80)
    expect(state.shown).toBe(2)
  })

  it('comes every two seconds while someone types on, with one of their keys', async () => {
    const { state, key } = start()
    const keys: number[] = []
    for (let index = 0; index < 100; index++) {
      keys.push(performance.now())
      await key(true, 80)
    }
    expect(state.times).toHaveLength(3)
    for (const time of state.times) expect(keys).toContain(time)
  })

  it('comes while someone only moves the caret on', async () => {
    const { state, key } = start()
    await key(true, 80)
    for (let index = 0; index < 40; index++) await key(false, 80)
    expect(state.shown).toBe(1)
  })

  it('comes more rarely when it takes the page long', async () => {
    const { state, key } = start(50)
    for (let index = 0; index < 20; index++) await key(true, 300)
    expect(state.times.length).toBeGreaterThanOrEqual(5)
    expect(state.times.length).toBeLessThanOrEqual(7)
  })

  it('comes at once when the preview stands alone', async () => {
    const { pace, state, key } = start()
    await key(true, 50)
    pace.hurry()
    await vi.advanceTimersByTimeAsync(RENDERING)
    pace.hurry()
    await vi.advanceTimersByTimeAsync(0)
    expect(state.shown).toBe(1)
  })

  it('always comes, whatever someone does, and not much later than two seconds and what it takes', async () => {
    const keys = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 400 })), {
      maxLength: 60,
    })
    await fc.assert(
      fc.asyncProperty(keys, fc.integer({ min: 0, max: 20 }), async (all, cost) => {
        const { state, key } = start(cost)
        const typedAt: number[] = []
        for (const [isText, gap] of all) {
          if (isText) typedAt.push(performance.now())
          await key(isText, gap)
          const late = performance.now() - (typedAt[state.shown] ?? Number.POSITIVE_INFINITY)
          // What was typed while one update was on its way waits for the next.
          expect(late).toBeLessThanOrEqual(2 * (2000 + 400 + RENDERING) + 20 * cost)
        }
        await vi.advanceTimersByTimeAsync(3000)
        expect(state.shown).toBe(state.text)
      }),
      { numRuns: 50 },
    )
  })
})
