import type { Finalized } from '../../../src/media/finalize.ts'
import type { Person } from './people.ts'

export interface KnownFile {
  readonly id: string
  readonly bytes: Uint8Array
  readonly tempUrl: string
  /** The index of the owner in the list of people. */
  by: number
  /** The permanent URL, or null before finalizing. */
  permanentUrl: string | null
}

export interface FinalizeCall {
  readonly person: Person
  /** The temporary URLs in the text, by id. */
  readonly urls: ReadonlyMap<string, string>
  /** The result, or null if the storage failed. */
  readonly answer: Finalized | null
}

/** The calls and their results, against which the database is checked. */
export interface Facts {
  readonly files: KnownFile[]
  steps: number
  inspections: number
  /** Whether a step has injected a fault of the storage. */
  isDisturbed: boolean
  /** Files that calls of `deleteOrphanedMedia` may delete without a grace period. */
  readonly immediatelyDeletable: Set<string>
  /** Files that were passed to `remove`. */
  readonly removed: Set<string>
  /** Files for which `onDeleted` was called. */
  readonly deleted: Set<string>
  /** Files that a killed process did not settle. The next sweep settles them. */
  readonly unsettled: Set<string>
  /** References that a rebuild may have added from a text that has since been replaced. */
  readonly rebuilt: Set<string>
  /** The calls of `finalize` in the current moment. */
  readonly finalizes: FinalizeCall[]
  readonly missing: Set<string>
  /** Files whose URL returned 404. */
  readonly notFound: Set<string>
  /** The changes of owners in the current moment. */
  readonly claims: { readonly from: string; readonly to: string }[]
}

export function newFacts(): Facts {
  return {
    files: [],
    steps: 0,
    inspections: 0,
    isDisturbed: false,
    immediatelyDeletable: new Set(),
    removed: new Set(),
    deleted: new Set(),
    unsettled: new Set(),
    rebuilt: new Set(),
    finalizes: [],
    missing: new Set(),
    notFound: new Set(),
    claims: [],
  }
}
