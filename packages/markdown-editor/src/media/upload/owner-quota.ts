import { editorError } from '../../errors.ts'
import type { UploadedFacts } from '../ledger/medium.ts'
import type { MediaServices } from '../services.ts'

type Ledger = Pick<MediaServices['ledger'], 'complete' | 'completeWithin' | 'usage'>

/** The bytes of an owner's current uploads in this process. */
interface Account {
  uploads: number
  /** Bytes of uploads that are not in the ledger's sum yet. */
  streaming: number
  /** Bytes that were added to the ledger's sum since the oldest of these uploads began. */
  added: number
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
  /** Ends the upload, completed or not. May be called again. */
  close(): void
}

/** Limits the files of each owner to a number of bytes. */
export class Quota {
  readonly #limit: number | null
  readonly #ledger: Ledger
  readonly #accounts = new Map<string, Account>()

  /** @param limit bytes for each owner; null: no limit */
  constructor(limit: number | null, ledger: Ledger) {
    this.#limit = limit
    this.#ledger = ledger
  }

  /**
   * Begins an upload.
   *
   * @throws QuillgateError 413 `quota_exceeded` when the owner has nothing left
   */
  async open(owner: string): Promise<QuotaShare> {
    const [limit, ledger, accounts] = [this.#limit, this.#ledger, this.#accounts]
    if (limit === null) {
      const complete: QuotaShare['complete'] = (id, facts, at) => ledger.complete(id, facts, at)
      return { bound: (body) => body, complete, close() {} }
    }
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
  }
}

class LimitedShare implements QuotaShare {
  readonly #limit: number
  readonly #account: Account
  readonly #ledger: Ledger
  readonly #onClose: () => void
  /** Bytes in the ledger, without those that this process has added since. */
  readonly #used: number
  #size = 0
  #isClosed = false

  constructor(limit: number, used: number, account: Account, ledger: Ledger, onClose: () => void) {
    this.#limit = limit
    this.#used = used - account.added
    this.#account = account
    this.#ledger = ledger
    this.#onClose = onClose
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
    if (this.#used + added + streaming + bytes > this.#limit) throw exceeded(this.#limit)
  }
}

function exceeded(limit: number) {
  return editorError(
    'quota_exceeded',
    `Your files would exceed the quota of ${limit} bytes. Delete some first.`,
  )
}
