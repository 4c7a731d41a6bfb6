import type { Medium, NewMedium, UploadedFacts } from './medium.ts'

/**
 * What uploading and serving need of the ledger. The whole ledger (promotion, references, orphans, deletion) is behind
 * it; every method is one compare-and-set, and false means that the row was not in the state that the step starts from.
 */
export interface UploadLedger {
  /** Records a file before its first byte, in state `uploading`. */
  begin(medium: NewMedium): Promise<void>
  /** `uploading → temporary`: the bytes are stored, checked and durable. */
  complete(id: string, facts: UploadedFacts): Promise<boolean>
  /** `uploading → deleted`: refused or broken off; the bytes are already gone. */
  abandon(id: string, at: number): Promise<boolean>
  /** The row with this id in any state; null when there never was one. */
  get(id: string): Promise<Medium | null>
  /** Bytes of the owner's files that exist: uploading ones count with the size recorded so far (0). */
  usage(owner: string): Promise<number>
}
