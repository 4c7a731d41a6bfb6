import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MultipartQueue } from '../src/multipart-queue.ts'
import { type ParserFeed, watchParser } from '../src/multipart-watch.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

const never = new Promise<never>(() => {})

describe('watchParser', () => {
  const watch = (feed: ParserFeed) => {
    const onStall = vi.fn()
    void watchParser(feed, never, onStall)
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

  it('gives what it waited for, and stops looking', async () => {
    const onStall = vi.fn()
    expect(await watchParser({ pieces: 0, awaitsClient: false }, Promise.resolve('part'), onStall)).toBe('part')
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a form whose parser stalls', () => {
  it('is 400 malformed_multipart', async () => {
    const queue = new MultipartQueue(() => {})
    queue.feed.awaitsClient = false
    const next = expect(queue.next()).rejects.toMatchObject({ status: 400, code: 'malformed_multipart' })
    await vi.advanceTimersByTimeAsync(2_000)
    await next
  })
})
