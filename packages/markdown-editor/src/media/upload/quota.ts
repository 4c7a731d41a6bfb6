import type { QuillgateError } from '@quillgate/server/core'
import { editorError } from '../../errors.ts'
import type { MediaLedger } from '../ledger/media-ledger.ts'
import type { UploadedFacts } from '../ledger/medium.ts'

/** The part of the ledger that {@link createQuota} uses. */
export type QuotaLedger = Pick<MediaLedger, 'complete' | 'completeWithin' | 'usage'>

/** Keeps the files of each owner within a number of bytes. */
export interface Quota {
  /**
   * Begins an upload.
   *
   * @throws QuillgateError 413 `quota_exceeded` when the owner has nothing left
   */
  open(owner: string): Promise<QuotaShare>
}

/** The share of one upload in its owner's quota, from its first byte on. */
export interface QuotaShare {
  /**
   * Passes the body on as far as it fits into what the owner has left, other uploads of this
   * process included.
   *
   * @throws QuillgateError 413 `quota_exceeded` from the iteration
   */
  bound(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
  /**
   * Completes the upload if it fits. This is exact, also with uploads in other processes.
   *
   * @returns false if the row was no longer `uploading`
   * @throws QuillgateError 413 `quota_exceeded`
   */
  complete(id: string, facts: UploadedFacts, at: number): Promise<boolean>
  /** Ends the upload, whatever came of it. May be called again. */
  close(): void
}

/** The bytes of an owner's current uploads in this process. */
interface Account {
  uploads: number
  /** Bytes of uploads that are not in the ledger's sum yet. */
  streaming: number
  /** Bytes that were added to the ledger's sum since the oldest of these uploads began. */
  added: number
}

/** @param limit bytes for each owner; null: no limit */
export function createQuota(limit: number | null, ledger: QuotaLedger): Quota {
  if (limit === null) {
    const unlimited: QuotaShare = { bound: (body) => body, complete: ledger.complete, close() {} }
    return { open: async () => unlimited }
  }
  const accounts = new Map<string, Account>()
  return {
    async open(owner) {
      const used = await ledger.usage(owner)
      const account = accounts.get(owner) ?? { uploads: 0, streaming: 0, added: 0 }
      const share = new LimitedShare(limit, used, account, ledger, () => {
        account.uploads--
        if (account.uploads === 0) accounts.delete(owner)
      })
      share.require(1)
      account.uploads++
      accounts.set(owner, account)
      return share
    },
  }
}

class LimitedShare implements QuotaShare {
  readonly #limit: number
  readonly #used: number
  readonly #account: Account
  readonly #ledger: QuotaLedger
  readonly #onClose: () => void
  readonly #addedBefore: number
  #size = 0
  #isClosed = false

  constructor(
    limit: number,
    used: number,
    account: Account,
    ledger: QuotaLedger,
    onClose: () => void,
  ) {
    this.#limit = limit
    this.#used = used
    this.#account = account
    this.#ledger = ledger
    this.#onClose = onClose
    this.#addedBefore = account.added
  }

  async *bound(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      this.require(chunk.byteLength)
      this.#size += chunk.byteLength
      this.#account.streaming += chunk.byteLength
      yield chunk
    }
  }

  async complete(id: string, facts: UploadedFacts, at: number): Promise<boolean> {
    const completion = await this.#ledger.completeWithin(this.#limit, id, facts, at)
    if (completion === 'exceeded') throw exceeded(this.#limit)
    if (completion === 'completed') this.#account.added += facts.size
    this.close()
    return completion === 'completed'
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#account.streaming -= this.#size
    this.#onClose()
  }

  /** @throws QuillgateError 413 `quota_exceeded` when so many more bytes do not fit */
  require(bytes: number): void {
    const { streaming, added } = this.#account
    if (this.#used + (added - this.#addedBefore) + streaming + bytes > this.#limit)
      throw exceeded(this.#limit)
  }
}

function exceeded(limit: number): QuillgateError {
  return editorError(
    'quota_exceeded',
    `Your files would exceed the quota of ${limit} bytes. Delete some first.`,
  )
}
