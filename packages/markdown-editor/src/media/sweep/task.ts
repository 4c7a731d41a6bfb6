import type { Storage } from '@quillgate/storage'
import type { Installation } from '../ledger/installation.ts'
import type { LedgerDatabase } from '../ledger/ledger-database.ts'
import type { MediaLedger } from '../ledger/media-ledger.ts'
import type { Medium } from '../ledger/medium.ts'
import type { Transition } from '../ledger/reference-protocol.ts'
import type { Promote } from '../promotion.ts'
import type { Purge } from '../purge.ts'
import type { SweepItem, SweepKind } from './sweep-report.ts'

/** The collaborators of the tasks of a sweep. */
export interface SweepTaskDependencies {
  readonly database: LedgerDatabase
  readonly ledger: Pick<MediaLedger, 'get' | 'transition' | 'giveUp' | 'forget'>
  readonly storage: Pick<Storage, 'list' | 'remove'>
  readonly promote: Promote
  readonly purge: Purge
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

/** One step of a sweep. */
export interface SweepTask extends SweepItem {
  /** Runs the task. Returns false if it is no longer needed. */
  act(): Promise<boolean>
}

/** Runs a task on its file. Returns false if it is no longer needed. */
export type Act = (medium: Medium) => Promise<boolean>

/** The actor that the ledger records. */
export const ACTOR = 'sweep'

/** Creates the act that deletes a file, unless a record references it. */
export function deletion(
  { ledger, purge, clock }: SweepTaskDependencies,
  transition: Omit<Transition, 'to' | 'at'>,
): Act {
  return async ({ id }) => {
    if (!(await ledger.transition(id, { ...transition, to: 'deleting', at: clock() }))) return false
    await purge(id)
    return true
  }
}

/** Creates the task of one file. */
export function toTask(kind: SweepKind, medium: Medium, act: Act): SweepTask {
  const { id, key, tempKey, size } = medium
  return { kind, id, key: key ?? tempKey, size, act: () => act(medium) }
}
