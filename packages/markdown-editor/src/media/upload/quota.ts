import { QuillgateError } from '@quillgate/http'
import type { MediaLedger } from '../media-ledger.ts'

/** Keeps the files of each owner within a number of bytes. */
export interface Quota {
  /**
   * Passes a body on as far as it fits into what the owner has left.
   *
   * @throws QuillgateError 413 `quota_exceeded`, at once or from the iteration
   */
  bound(body: AsyncIterable<Uint8Array>, owner: string): Promise<AsyncIterable<Uint8Array>>
  /**
   * Runs what makes a file count, if it fits. Files of one owner that this process takes in at once wait for each other
   * here; several processes together may pass the quota by the files that they take in at the same moment.
   *
   * @throws QuillgateError 413 `quota_exceeded`
   */
  spend<Result>(owner: string, size: number, count: () => Promise<Result>): Promise<Result>
}

/** @param limit bytes for each owner; null: no limit */
export function createQuota(limit: number | null, ledger: Pick<MediaLedger, 'usage'>): Quota {
  if (limit === null) return { bound: async (body) => body, spend: (_owner, _size, count) => count() }
  const exceeded = (): QuillgateError =>
    new QuillgateError('quota_exceeded', 413, `Your files may take ${limit} bytes together: delete some first.`)
  const inTurn = createTurns()
  return {
    async bound(body, owner) {
      const left = limit - (await ledger.usage(owner))
      if (left <= 0) throw exceeded()
      return upTo(body, left, exceeded)
    },
    spend: (owner, size, count) =>
      inTurn(owner, async () => {
        if ((await ledger.usage(owner)) + size > limit) throw exceeded()
        return count()
      }),
  }
}

async function* upTo(
  body: AsyncIterable<Uint8Array>,
  limit: number,
  exceeded: () => Error,
): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > limit) throw exceeded()
    yield chunk
  }
}

/** Runs steps with the same key one after another. */
function createTurns(): <Result>(key: string, step: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>()
  return async (key, step) => {
    const before = last.get(key)
    const turn = (async () => {
      await before?.catch(() => {})
      return step()
    })()
    last.set(key, turn)
    try {
      return await turn
    } finally {
      if (last.get(key) === turn) last.delete(key)
    }
  }
}
