import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BackgroundSweep } from '../../../src/media/sweep/background-sweep.ts'
import type { SweepOptions } from '../../../src/media/sweep/sweep.ts'
import { SweepTally } from '../../../src/media/sweep/sweep-report.ts'
import { resolveSettings } from '../../../src/settings.ts'

const report = new SweepTally().report(false, null)
let warnings: string[]
const logger = {
  warn: (text: string) => void warnings.push(text),
  error: (text: string) => void warnings.push(text),
}

beforeEach(() => {
  warnings = []
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe('BackgroundSweep', () => {
  it('runs one sweep at a time, and waits for it when it stops', async () => {
    let end = (): void => {}
    let running = 0
    let signal: AbortSignal | undefined
    const sweep = async (options: SweepOptions) => {
      signal = options.signal
      running++
      await new Promise<void>((resolve) => {
        end = resolve
      })
      return report
    }
    let now = 0
    const background = new BackgroundSweep(sweep, {
      settings: resolveSettings({ sweepInterval: 60 }),
      clock: () => now,
      logger,
    })
    const first = background.sweepSome()
    now += 60_000
    await background.sweepSome() // It does not wait for the one that is running.
    expect(running).toBe(1)
    expect(signal?.aborted).toBe(false)
    const stopped = background.stop()
    expect(signal?.aborted).toBe(true)
    end()
    await Promise.all([first, stopped])
    now += 60_000
    await background.sweepSome()
    expect(running).toBe(1)
  })

  it('says when a sweep stopped or failed', async () => {
    const answers = [{ ...report, stopped: 'too_many', failed: 2 } as const, null]
    const sweep = async () => {
      const answer = answers.shift()
      if (!answer) throw new Error('broken')
      return answer
    }
    let now = 0
    const background = new BackgroundSweep(sweep, {
      settings: resolveSettings({ sweepInterval: 60 }),
      clock: () => now,
      logger,
    })
    await background.sweepSome()
    now += 60_000
    await background.sweepSome()
    expect(warnings).toEqual([
      expect.stringContaining('too_many'),
      expect.stringContaining('2 files'),
      expect.stringContaining('sweep failed'),
    ])
  })

  it('sweeps at intervals until it is stopped', async () => {
    let sweeps = 0
    const sweep = async () => {
      sweeps++
      return report
    }
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const background = new BackgroundSweep(sweep, {
      settings: { ...resolveSettings(), sweepInterval: 0.02 },
      clock: Date.now,
      logger,
    })
    background.start()
    await vi.waitUntil(() => sweeps >= 3, { timeout: 20_000, interval: 5 })
    await background.stop()
    const count = sweeps
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(sweeps).toBe(count)
  })
})
