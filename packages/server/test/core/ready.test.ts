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

  it('does not deadlock if the start-up calls it', async () => {
    const steps: string[] = []
    const ready = createReady(async () => {
      await ready()
      steps.push('inside')
    })
    await ready()
    expect(steps).toEqual(['inside'])
  })

  it('makes a late call wait that a failed start-up has scheduled', async () => {
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

  it('waits in settled without a start and without the error of the start-up', async () => {
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

  it('does not deadlock if the start-up calls settled', async () => {
    const ready = createReady(() => ready.settled())
    await ready()
    expect(ready.isDone()).toBe(true)
  })
})
