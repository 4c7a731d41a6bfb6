import { createReady } from '@quillgate/server/core'
import { describe, expect, it } from 'vitest'

describe('createReady', () => {
  it('starts once for all concurrent and later calls', async () => {
    let starts = 0
    const ready = createReady(async () => void starts++)
    expect(ready.isDone()).toBe(false)
    await Promise.all([ready(), ready()])
    await ready()
    expect([starts, ready.isDone()]).toEqual([1, true])
  })

  it('does not wait for itself', async () => {
    const steps: string[] = []
    const ready = createReady(async () => {
      await ready()
      steps.push('inside')
    })
    await ready()
    expect(steps).toEqual(['inside'])
  })

  it('makes other calls wait, also calls that a failed start-up began', async () => {
    const { promise: later, resolve } = Promise.withResolvers<void>()
    let starts = 0
    let isLate: Promise<boolean> | undefined
    const ready = createReady(async () => {
      if (++starts > 1) return
      isLate = later.then(ready).then(() => ready.isDone())
      throw new Error('not yet')
    })
    await expect(ready()).rejects.toThrow('not yet')
    resolve()
    expect(await isLate).toBe(true)
  })

  it('tries again after a failure', async () => {
    let starts = 0
    const ready = createReady(async () => {
      if (++starts === 1) throw new Error('not yet')
    })
    const first = [ready(), ready()]
    for (const each of first) await expect(each).rejects.toThrow('not yet')
    expect(ready.isDone()).toBe(false)
    await ready()
    expect([starts, ready.isDone()]).toEqual([2, true])
  })

  it('can be awaited without a start and without its error', async () => {
    const { promise, reject } = Promise.withResolvers<void>()
    let starts = 0
    const ready = createReady(() => {
      starts++
      return promise
    })
    await ready.settled()
    expect(starts).toBe(0)
    const starting = ready().catch(() => 'failed')
    let isSettled = false
    const settling = ready.settled().then(() => {
      isSettled = true
    })
    await new Promise(setImmediate)
    expect(isSettled).toBe(false)
    reject(new Error('no'))
    await settling
    expect(await starting).toBe('failed')
  })

  it('does not wait for its own end in settled', async () => {
    const ready = createReady(() => ready.settled())
    await ready()
    expect(ready.isDone()).toBe(true)
  })
})
