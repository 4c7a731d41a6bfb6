import type { Storage } from '@quillgate/storage'
import type { Eraser } from '../eraser.ts'
import type { Installation } from '../ledger/installation.ts'
import type { LedgerDatabase } from '../ledger/ledger-database.ts'
import type { MediaLedger } from '../ledger/media-ledger.ts'
import type { Medium } from '../ledger/medium.ts'
import type { Departure } from '../ledger/reference-protocol.ts'
import type { Promotion } from '../promotion.ts'
import type { SweepItem, SweepKind } from './sweep-report.ts'

/** What the chores of a sweep need. */
export interface ChoreDependencies {
  readonly database: LedgerDatabase
  readonly ledger: Pick<MediaLedger, 'get' | 'leave' | 'giveUp' | 'forget'>
  readonly storage: Pick<Storage, 'list' | 'remove'>
  readonly promotion: Promotion
  readonly eraser: Eraser
  readonly installation: Pick<Installation, 'lastRebuild' | 'trackedSince'>
  readonly settings: {
    readonly tempUploadPath: string
    readonly tempMaxAge: number
    readonly unsavedGrace: number | null
    readonly orphanGrace: number
    readonly cleanupMedia: boolean
  }
  readonly clock: () => number
}

/** One thing that a sweep may do. */
export interface Chore extends SweepItem {
  /** Does it; false when it is not to be done any more. */
  act(): Promise<boolean>
}

/** What a chore does with its file; false when it is not to be done any more. */
export type Act = (medium: Medium) => Promise<boolean>

/** Who deletes, by the ledger. */
export const ACTOR = 'sweep'

/** Makes acts that delete a file for a reason. */
export function dropFrom({
  ledger,
  eraser,
  clock,
}: ChoreDependencies): (departure: Omit<Departure, 'to' | 'at'>) => Act {
  return (departure) => async (medium) => {
    if (!(await ledger.leave(medium.id, { ...departure, to: 'deleting', at: clock() })))
      return false
    await eraser.erase(medium.id)
    return true
  }
}

/** Makes the chore of one file. */
export function toChore(kind: SweepKind, medium: Medium, act: Act): Chore {
  return {
    kind,
    id: medium.id,
    key: medium.key ?? medium.tempKey,
    size: medium.size,
    act: () => act(medium),
  }
}
