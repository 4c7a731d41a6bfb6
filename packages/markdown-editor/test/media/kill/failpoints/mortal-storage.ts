import type { Storage } from '@quillgate/markdown-editor'
import { inProcess } from './mortal-files.ts'
import type { MortalProcess } from './mortal-process.ts'

/** A storage whose process can die at each call and at each chunk of a written body. */
export function mortalStorage(storage: Storage, process: MortalProcess): Storage {
  const call = <Result>(name: string, effect: () => Promise<Result>): Promise<Result> =>
    process.call(`storage.${name}`, () => inProcess(process, effect))

  return {
    write: (key, body, info) =>
      call('write', () => storage.write(key, chunksOf(body, process), info)),
    read: (key, range) =>
      call('read', async () => {
        const stored = await storage.read(key, range)
        // For a real process, the system would close the file.
        process.onRelease(() => void stored?.body.cancel().catch(() => {}))
        return stored
      }),
    stat: (key) => call('stat', () => storage.stat(key)),
    copy: (from, to) => call('copy', () => storage.copy(from, to)),
    remove: (key) => call('remove', () => storage.remove(key)),
    async *list(prefix) {
      const objects = storage.list(prefix)[Symbol.asyncIterator]()
      try {
        for (;;) {
          const next = await call('list', () => objects.next())
          if (next.done) return
          yield next.value
        }
      } finally {
        await objects.return?.()
      }
    },
  }
}

async function* chunksOf(
  body: AsyncIterable<Uint8Array>,
  process: MortalProcess,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    yield await process.call('storage.write: a chunk', async () => chunk)
  }
}
