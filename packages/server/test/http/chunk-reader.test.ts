import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ChunkReader } from '../../src/http/chunk-reader.ts'

async function readAll(stream: Readable): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  for await (const chunk of new ChunkReader(stream)) chunks.push(chunk)
  return chunks
}

describe('ChunkReader', () => {
  it('yields the chunks as they were pushed, for slow readers and writers', async () => {
    const chunk = fc.uint8Array({ minLength: 1, maxLength: 50_000, size: 'max' })
    await fc.assert(
      fc.asyncProperty(
        fc.array(chunk, { maxLength: 8 }),
        fc.boolean(),
        fc.boolean(),
        async (chunks, waits, rests) => {
          const stream = new PassThrough()
          const writing = (async () => {
            for (const one of chunks) {
              if (!stream.write(one)) await once(stream, 'drain')
              if (waits) await setImmediate()
            }
            stream.end()
          })()
          const got: Uint8Array[] = []
          for await (const one of new ChunkReader(stream)) {
            got.push(one)
            if (rests) await setImmediate()
          }
          await writing
          expect(got.map(Buffer.from)).toEqual(chunks.map(Buffer.from))
        },
      ),
      { numRuns: 50 },
    )
  })

  it('reads nothing before the first call, and at most the maximum number of chunks', async () => {
    let pushed = 0
    const stream = new Readable({
      highWaterMark: 16 * 1024,
      read() {
        pushed += 16
        this.push(Buffer.alloc(16 * 1024))
      },
    })
    const reader = new ChunkReader(stream)
    await setImmediate()
    expect(pushed).toBe(0)
    await reader.next()
    for (let turn = 0; turn < 20; turn++) await setImmediate()
    expect(pushed).toBeLessThanOrEqual(10 * 16)
    stream.destroy()
  })

  it('fails with the error of the stream after it has yielded the chunks before it', async () => {
    const stream = new PassThrough()
    const reader = new ChunkReader(stream)
    const first = reader.next()
    stream.write('a')
    expect((await first).value).toEqual(Buffer.from('a'))
    stream.write('b')
    await setImmediate()
    stream.destroy(new Error('ECONNRESET'))
    await once(stream, 'close').catch(() => {})
    expect((await reader.next()).value).toEqual(Buffer.from('b'))
    await expect(reader.next()).rejects.toThrow('ECONNRESET')
  })

  it('fails if the stream was closed early, also before the first read', async () => {
    const stream = new PassThrough()
    const reader = new ChunkReader(stream)
    const reading = expect(reader.next()).rejects.toThrow('closed before its end')
    stream.destroy()
    await reading
    await expect(readAll(stream)).rejects.toThrow('closed before its end')
    const failed = new PassThrough().on('error', () => {})
    failed.destroy(new Error('reset'))
    await once(failed, 'close').catch(() => {})
    await expect(readAll(failed)).rejects.toThrow('reset')
  })

  it('yields nothing if the stream was already read', async () => {
    const stream = Readable.from([Buffer.from('a')])
    await readAll(stream)
    expect(await readAll(stream)).toEqual([])
  })

  it('releases the stream, which is paused and can be read by others', async () => {
    const stream = new PassThrough()
    const reader = new ChunkReader(stream)
    const waiting = reader.next()
    await setImmediate()
    await reader.return()
    expect(await waiting).toEqual({ done: true, value: undefined })
    stream.end('rest')
    await setImmediate()
    expect(stream.readableLength).toBe(4)
    expect(await stream.toArray()).toEqual([Buffer.from('rest')])
    expect(await reader.next()).toEqual({ done: true, value: undefined })
  })

  it('leaves the rest of the stream unread after return', async () => {
    const stream = new PassThrough()
    stream.write('one')
    const chunks = new ChunkReader(stream)
    await chunks.next()
    await chunks.return()
    stream.write('two')
    expect(await chunks.next()).toEqual({ done: true, value: undefined })
    await setImmediate()
    expect(String(stream.read())).toBe('two')
  })
})
