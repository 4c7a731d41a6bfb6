import type { MediaUrls } from '@quillgate/markdown/media-urls'
import type { Logger, UserId } from '@quillgate/server/core'
import type { Database } from '@quillgate/server/database'
import type { Storage } from '@quillgate/storage'
import { type CheckOptions, type CheckReport, createCheck } from './media/check.ts'
import { type Cleanup, createCleanup } from './media/cleanup.ts'
import type { CopyOptions, CopyReport } from './media/copy/copy-media.ts'
import { createCopy } from './media/copy/copy-media.ts'
import { createFinalizer, type Finalize } from './media/finalize.ts'
import { createInstallation, type Installation } from './media/ledger/installation.ts'
import { createLedgerDatabase } from './media/ledger/ledger-database.ts'
import type { CanManage } from './media/ledger/management.ts'
import { createMediaLedger, type MediaLedger } from './media/ledger/media-ledger.ts'
import {
  createMediaList,
  type MediaList,
  type MediaListOptions,
} from './media/ledger/media-list.ts'
import type { Medium } from './media/ledger/medium.ts'
import { createPromotion } from './media/promotion.ts'
import { createPurge } from './media/purge.ts'
import { createQuarantine, type Quarantine } from './media/quarantine.ts'
import { createMediaReferences, type MediaReferences } from './media/references/media-references.ts'
import { type BackgroundSweep, createBackgroundSweep } from './media/sweep/background-sweep.ts'
import { createSweep, type SweepOptions } from './media/sweep/sweep.ts'
import type { SweepReport } from './media/sweep/sweep-report.ts'
import type { UploadHandler } from './media/upload/upload-handler.ts'
import type { Settings } from './settings.ts'

/** What the life of media needs. */
export interface MediaParts {
  readonly database: Database
  readonly prefix: string
  readonly storage: Storage
  readonly urls: MediaUrls
  readonly handler: UploadHandler
  readonly settings: Settings
  readonly existingRecords: boolean
  /** True when the application is known to reference its media. */
  readonly tracksReferences: boolean
  readonly canManage?: CanManage
  readonly onDeleted?: (medium: Medium) => void | Promise<void>
  readonly clock: () => number
  readonly logger: Logger
}

/** The life of media, put together. */
export interface ComposedMedia<User> {
  readonly ledger: MediaLedger
  readonly installation: Installation
  readonly cleanup: Cleanup
  readonly references: MediaReferences
  readonly finalize: Finalize<User>
  readonly sweep: (options?: SweepOptions) => Promise<SweepReport>
  /** Sweeps in this process. */
  readonly background: BackgroundSweep
  readonly quarantine: Quarantine
  readonly list: (options?: MediaListOptions) => Promise<MediaList>
  readonly check: (options?: CheckOptions) => Promise<CheckReport>
  readonly copyTo: (target: Storage, options?: CopyOptions) => Promise<CopyReport>
}

/** Puts ledger, storage and settings together; connects to nothing. */
export function composeMedia<User extends { readonly id: UserId }>(
  parts: MediaParts,
): ComposedMedia<User> {
  const { storage, urls, handler, settings, existingRecords, tracksReferences, clock, logger } =
    parts
  const { canManage, onDeleted } = parts
  const database = createLedgerDatabase(parts.database, parts.prefix)
  const ledger = createMediaLedger(database)
  const installation = createInstallation({
    database,
    storage,
    existingRecords,
    tracksReferences,
    clock,
  })
  const purge = createPurge({ ledger, storage, onDeleted, clock, logger })
  const { uploadPath } = settings
  const promote = createPromotion({ ledger, storage, uploadPath, clock, logger })
  const cleanup = createCleanup({
    ledger,
    purge,
    installation,
    urls,
    settings,
    canManage,
    clock,
    logger,
  })
  const shared = {
    database,
    ledger,
    storage,
    promote,
    purge,
    installation,
    settings,
    clock,
    logger,
  }
  const sweep = createSweep(shared)
  return {
    ledger,
    installation,
    cleanup,
    references: createMediaReferences({
      database,
      cleanup,
      installation,
      canManage,
      clock,
    }),
    finalize: createFinalizer({
      ledger,
      promote,
      urls,
      handler,
      canManage,
    }),
    sweep,
    background: createBackgroundSweep({
      ...{ sweep, clock, logger },
      interval: settings.sweepInterval,
      pause: sweepPause(settings),
    }),
    quarantine: createQuarantine(ledger, promote, purge, clock),
    list: createMediaList(database),
    check: createCheck(shared),
    copyTo: createCopy(shared),
  }
}

/** Milliseconds in which nothing new can be due, and at most a minute. */
function sweepPause({ tempMaxAge, unsavedGrace, orphanGrace }: Settings): number {
  return 1000 * Math.min(60, tempMaxAge, unsavedGrace ?? 60, orphanGrace || 60)
}
