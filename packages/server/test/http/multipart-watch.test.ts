import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MultipartQueue } from '../../src/http/multipart/multipart-queue.ts'
import { type ParserFeed, ParserWatch } from '../../src/http/multipart/multipart-watch.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

const never = new Promise<never>(() => {})

describe('ParserWatch', () => {
  const watch = (feed: ParserFeed) => {
    const onStall = vi.fn()
    void new ParserWatch(feed, onStall).until(never)
    return onStall
  }

  it('reports a parser that neither gives nor takes anything', () => {
    const onStall = watch({ pieces: 3, awaitsClient: false })
    vi.advanceTimersByTime(1_500)
    expect(onStall).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1_000)
    expect(onStall).toHaveBeenCalled()
  })

  it('lets a parser work that takes more of the body', () => {
    const feed = { pieces: 0, awaitsClient: false }
    const onStall = watch(feed)
    for (; feed.pieces < 10; feed.pieces++) vi.advanceTimersByTime(1_000)
    expect(onStall).not.toHaveBeenCalled()
  })

  it('lets a client take its time', () => {
    const feed = { pieces: 3, awaitsClient: true }
    const onStall = watch(feed)
    vi.advanceTimersByTime(60_000)
    feed.awaitsClient = false
    vi.advanceTimersByTime(1_000)
    expect(onStall).not.toHaveBeenCalled()
  })

  it('minds nothing while nobody waits, nor what was waited for before', async () => {
    const onStall = vi.fn()
    const watching = new ParserWatch({ pieces: 3, awaitsClient: false }, onStall)
    expect(await watching.until(Promise.resolve('part'))).toBe('part')
    vi.advanceTimersByTime(10_000)
    for (let wait = 0; wait < 5; wait++) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const waiting = watching.until(promise)
      vi.advanceTimersByTime(1_000)
      resolve()
      await waiting
    }
    expect(onStall).not.toHaveBeenCalled()
    watching.stop()
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a form whose parser stalls', () => {
  it('is 400 malformed_multipart', async () => {
    const queue = new MultipartQueue(() => {})
    queue.feed.awaitsClient = false
    const next = expect(queue.next()).rejects.toMatchObject({
      status: 400,
      code: 'malformed_multipart',
    })
    await vi.advanceTimersByTimeAsync(2_000)
    await next
  })
})
