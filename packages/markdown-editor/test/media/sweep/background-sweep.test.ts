import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BackgroundSweep } from '../../../src/media/sweep/background-sweep.ts'
import type { SweepOptions } from '../../../src/media/sweep/sweep.ts'

const report = { stopped: null, failed: 0 }
const INTERVAL = 0.02
const logger = {
  warn: (text: string) => void warnings.push(text),
  error: (text: string) => void warnings.push(text),
}
let warnings: string[]

beforeEach(() => {
  warnings = []
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe('BackgroundSweep', () => {
  it('aborts the running sweep and waits for its end when stopped', async () => {
    let end = (): void => {}
    let signal: AbortSignal | undefined
    const sweep = async (options: SweepOptions) => {
      signal = options.signal
      await new Promise<void>((resolve) => {
        end = resolve
      })
      return report
    }
    const background = new BackgroundSweep(sweep, logger)
    background.start(INTERVAL)
    await vi.waitUntil(() => signal !== undefined, { timeout: 20_000, interval: 5 })
    expect(signal?.aborted).toBe(false)
    let isStopped = false
    const stopped = background.stop().then(() => {
      isStopped = true
    })
    expect(signal?.aborted).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(isStopped).toBe(false)
    end()
    await stopped
  })

  it('logs a sweep that was stopped or failed', async () => {
    const answers = [{ ...report, stopped: 'installation_mismatch', failed: 2 } as const, null]
    const sweep = async () => {
      const answer = answers.shift()
      if (answer === undefined) return report
      if (answer === null) throw new Error('broken')
      return answer
    }
    const background = new BackgroundSweep(sweep, logger)
    background.start(INTERVAL)
    await vi.waitUntil(() => warnings.length >= 3, { timeout: 20_000, interval: 5 })
    await background.stop()
    expect(warnings).toEqual([
      expect.stringContaining('installation_mismatch'),
      expect.stringContaining('2 sweep tasks'),
      expect.stringContaining('sweep failed'),
    ])
  })

  it('sweeps at intervals until it is stopped', async () => {
    let sweeps = 0
    const sweep = async () => {
      sweeps++
      return report
    }
    const background = new BackgroundSweep(sweep, logger)
    background.start(INTERVAL)
    await vi.waitUntil(() => sweeps >= 3, { timeout: 20_000, interval: 5 })
    await background.stop()
    const count = sweeps
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(sweeps).toBe(count)
  })

  it('never sweeps if the interval is null', async () => {
    const sweep = vi.fn(async () => report)
    const background = new BackgroundSweep(sweep, logger)
    background.start(null)
    await background.stop()
    expect(sweep).not.toHaveBeenCalled()
  })
})
