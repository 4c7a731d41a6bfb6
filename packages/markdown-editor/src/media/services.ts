import type { MediaUrls } from '@quillgate/markdown/media-urls'
import type { Logger } from '@quillgate/server/core'
import type { Storage } from '@quillgate/storage'
import type { Settings } from '../settings.ts'
import type { Installation } from './ledger/installation.ts'
import type { LedgerDatabase } from './ledger/ledger-database.ts'
import type { MediaLedger } from './ledger/media-ledger.ts'
import type { Medium } from './ledger/medium.ts'
import type { CanManage } from './ledger/principal.ts'
import type { UploadHandler } from './upload/upload-handler.ts'

/** The services that the functions on media use. */
export interface MediaServices {
  readonly database: LedgerDatabase
  readonly ledger: MediaLedger
  readonly storage: Storage
  readonly installation: Installation
  readonly settings: Settings
  readonly urls: MediaUrls
  readonly handler: UploadHandler
  readonly canManage?: CanManage | undefined
  /** Called after the bytes of a file are deleted. After a crash, it may be called again. */
  readonly onDeleted?: ((medium: Medium) => void | Promise<void>) | undefined
  readonly clock: () => number
  readonly logger: Logger
}

/** The services that uploads use. */
export interface UploadServices
  extends Pick<MediaServices, 'storage' | 'ledger' | 'handler' | 'clock' | 'logger' | 'settings'> {
  readonly urls: Pick<MediaUrls, 'build'>
}
