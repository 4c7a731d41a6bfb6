import { combineRuns } from '@quillgate/server/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

describe('combineRuns', () => {
  const open = () => {
    const runs: PromiseWithResolvers<void>[] = []
    const ask = combineRuns(() => {
      const run = Promise.withResolvers<void>()
      runs.push(run)
      return run.promise
    })
    return { runs, ask }
  }

  it('runs immediately, and once more for all calls during the run', async () => {
    const { runs, ask } = open()
    const first = ask()
    const later = [ask(), ask(), ask()]
    expect(runs).toHaveLength(1)
    runs[0]?.resolve()
    await first
    await expect.poll(() => runs.length).toBe(2)
    runs[1]?.resolve()
    await Promise.all(later)
    expect(runs).toHaveLength(2)
  })

  it('rejects the calls of a failed run, and continues', async () => {
    const { runs, ask } = open()
    const first = ask()
    const second = ask()
    runs[0]?.reject(new Error('disk'))
    await expect(first).rejects.toThrow('disk')
    await expect.poll(() => runs.length).toBe(2)
    runs[1]?.resolve()
    await second
    const third = ask()
    expect(runs).toHaveLength(3)
    runs[2]?.resolve()
    await third
  })

  it('runs after each call, and never twice at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.nat(5), { maxLength: 20 }),
        async (scheduler, delays) => {
          let [time, active, lastDone] = [0, 0, 0]
          const ask = combineRuns(async () => {
            const start = ++time
            expect(++active).toBe(1)
            await scheduler.schedule(Promise.resolve())
            active--
            lastDone = start
          })
          const asking = delays.map(async (delay) => {
            for (let step = 0; step < delay; step++) await scheduler.schedule(Promise.resolve())
            const asked = ++time
            await ask()
            expect(lastDone).toBeGreaterThan(asked)
          })
          await scheduler.waitFor(Promise.all(asking))
        },
      ),
    )
  })
})
