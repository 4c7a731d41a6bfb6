import type { QuillgateError } from '@quillgate/server/core'
import { editorError } from '../../errors.ts'
import type { MediaLedger } from '../ledger/media-ledger.ts'
import type { UploadedFacts } from '../ledger/medium.ts'

/** Limits the files of each owner together to a number of bytes. */
export class OwnerQuota {
  readonly #limit: number | null
  readonly #ledger: Pick<MediaLedger, 'complete' | 'completeWithin' | 'usage'>

  /** @param limit bytes for each owner; null: no limit */
  constructor(
    limit: number | null,
    ledger: Pick<MediaLedger, 'complete' | 'completeWithin' | 'usage'>,
  ) {
    this.#limit = limit
    this.#ledger = ledger
  }

  /**
   * Returns a body that can be read as far as it fits into what the owner has left.
   *
   * @throws QuillgateError 413 `quota_exceeded` if nothing is left; later from the iteration
   */
  async bound(owner: string, body: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
    if (this.#limit === null) return body
    const left = this.#limit - (await this.#ledger.usage(owner))
    if (left <= 0) throw exceeded(this.#limit)
    return readAtMost(left, body, this.#limit)
  }

  /**
   * Completes an upload if it fits. This is exact, also if other uploads of the owner complete at
   * the same time.
   *
   * @returns false if the row was no longer `uploading`
   * @throws QuillgateError 413 `quota_exceeded`
   */
  async complete(id: string, facts: UploadedFacts, at: number): Promise<boolean> {
    if (this.#limit === null) return this.#ledger.complete(id, facts, at)
    const completion = await this.#ledger.completeWithin(this.#limit, id, facts, at)
    if (completion === 'exceeded') throw exceeded(this.#limit)
    return completion === 'completed'
  }
}

async function* readAtMost(
  length: number,
  body: AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<Uint8Array> {
  let left = length
  for await (const chunk of body) {
    left -= chunk.byteLength
    if (left < 0) throw exceeded(limit)
    yield chunk
  }
}

function exceeded(limit: number): QuillgateError {
  const detail = `Your files would exceed the quota of ${limit} bytes. Delete some first.`
  return editorError('quota_exceeded', detail)
}
