import { createReady } from '@quillgate/http'
import { describe, expect, it } from 'vitest'

describe('createReady', () => {
  it('starts once, however often and at once it is asked', async () => {
    let starts = 0
    const ready = createReady(async () => void starts++)
    expect(ready.isDone()).toBe(false)
    await Promise.all([ready(), ready()])
    await ready()
    expect([starts, ready.isDone()]).toEqual([1, true])
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
})
