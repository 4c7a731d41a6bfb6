import { randomBytes } from 'node:crypto'
import { createMediaId, createMediaUrls } from '@quillgate/markdown/media-urls'
import type { GateParts } from '@quillgate/server'
import { createCheck } from './media/check.ts'
import { createCleanup } from './media/cleanup.ts'
import { createCopy } from './media/copy/copy-media.ts'
import { createFinalizer } from './media/finalize.ts'
import { createInstallation } from './media/ledger/installation.ts'
import { createLedgerDatabase } from './media/ledger/ledger-database.ts'
import type { CanManage } from './media/ledger/management.ts'
import { createMediaLedger } from './media/ledger/media-ledger.ts'
import { createMediaList } from './media/ledger/media-list.ts'
import type { EditorUser } from './media/ledger/principal.ts'
import { createPromotion } from './media/promotion.ts'
import { createPurge } from './media/purge.ts'
import { createQuarantine } from './media/quarantine.ts'
import { createMediaReferences } from './media/references/media-references.ts'
import { createBackgroundSweep } from './media/sweep/background-sweep.ts'
import { createSweep } from './media/sweep/sweep.ts'
import { createAddMedia } from './media/upload/add-media.ts'
import { DefaultUploadHandler } from './media/upload/upload-handler.ts'
import { createUploads, withSweep } from './media/upload/uploads.ts'
import type { EditorConfiguration } from './options.ts'
import type { Settings } from './settings.ts'

/** The functions and objects that work on media. */
export type ComposedMedia<User extends EditorUser> = ReturnType<typeof composeMedia<User>>

/** Composes everything that works on media. Connects to nothing. */
export function composeMedia<User extends EditorUser>(
  options: EditorConfiguration<User>,
  { database: connection, prefix, publicOrigin, clock, logger }: GateParts,
  onUnexpected: (error: unknown) => void,
) {
  const { storage, settings, existingRecords, onDeleted, scan, transform } = options
  // The users of actors are those that the application passes.
  const canManage = options.canManage as CanManage | undefined
  const urls = createMediaUrls({
    ...settings,
    tempPath: settings.tempUploadPath,
    ...(publicOrigin === undefined ? {} : { publicOrigin }),
  })
  const handler = options.uploadHandler ?? new DefaultUploadHandler()
  const database = createLedgerDatabase(connection, prefix)
  const ledger = createMediaLedger(database)
  const shared = { database, ledger, storage, settings, canManage, urls, clock, logger }
  const tracksReferences = options.records !== undefined
  const installation = createInstallation({ ...shared, existingRecords, tracksReferences })
  const purge = createPurge({ ...shared, onDeleted })
  const promote = createPromotion({ ...shared, uploadPath: settings.uploadPath })
  const cleanup = createCleanup({ ...shared, purge, installation })
  const sweep = createSweep({ ...shared, promote, purge, installation })
  const background = createBackgroundSweep({
    ...{ sweep, clock, logger },
    interval: settings.sweepInterval,
    pause: sweepPause(settings),
  })
  const received = createUploads({
    ...{ ...shared, handler, onUnexpected, scan, transform },
    buildUrl: urls.build,
    createId: () => createMediaId(randomBytes),
  })
  const uploads = withSweep(received, background.sweepSome)
  return {
    ledger,
    urls,
    installation,
    cleanup,
    background,
    uploads,
    add: createAddMedia({ uploads, maxUploadSize: settings.maxUploadSize }),
    references: createMediaReferences({ ...shared, cleanup, installation }),
    finalize: createFinalizer<User>({ ...shared, promote, handler }),
    sweep,
    quarantine: createQuarantine(ledger, promote, purge, clock),
    list: createMediaList(database),
    check: createCheck({ ...shared, installation }),
    copyTo: createCopy({ ...shared, installation }),
  }
}

/** Returns milliseconds in which nothing new can be due, at most a minute. */
function sweepPause({ tempMaxAge, unsavedGrace, orphanGrace }: Settings): number {
  return 1000 * Math.min(60, tempMaxAge, unsavedGrace ?? 60, orphanGrace || 60)
}
