import type { Finalized } from '../../../src/media/finalize.ts'
import type { Person } from './people.ts'

/** An uploaded file, as the one knows it who sent it. */
export interface KnownFile {
  readonly id: string
  readonly bytes: Uint8Array
  readonly tempUrl: string
  /** Whose it is, by their place among the people. */
  by: number
  /** Where it is since it was finalized. */
  permanentUrl: string | null
}

/** A call of `finalize` and its answer. */
export interface FinalizeCall {
  readonly person: Person
  /** Temporary URLs that stood in the text, by id. */
  readonly urls: ReadonlyMap<string, string>
  /** Null: the storage was out of order. */
  readonly answer: Finalized | null
}

/** What is known beside the database: all that was asked for and answered. */
export interface Facts {
  readonly files: KnownFile[]
  /** Steps that were done. */
  steps: number
  /** How often everything was looked at. */
  looks: number
  /** True since the storage was out of order. */
  isDisturbed: boolean
  /** Files that `deleteOrphanedMedia` or `remove` were asked to take. */
  readonly atOnce: Set<string>
  readonly removed: Set<string>
  /** Files for which `onDeleted` was called. */
  readonly deleted: Set<string>
  /** Files whose settling was cut off; the sweep does it. */
  readonly unsettled: Set<string>
  /** References that a rebuild may have added, though the record was saved again meanwhile. */
  readonly rebuilt: Set<string>
  /** Of the current moment. */
  readonly finalizes: FinalizeCall[]
  readonly missing: Set<string>
  /** Files that somebody asked for in vain. */
  readonly notFound: Set<string>
  /** Whose files have changed hands in the current moment. */
  readonly claims: { readonly from: string; readonly to: string }[]
}

export function newFacts(): Facts {
  return {
    files: [],
    steps: 0,
    looks: 0,
    isDisturbed: false,
    atOnce: new Set(),
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
