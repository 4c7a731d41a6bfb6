import type { MediaUrls } from '@quillgate/markdown/media-urls'
import type { Logger } from '@quillgate/server/core'
import type { Storage } from '@quillgate/storage'
import type { Settings } from '../../settings.ts'
import type { MediaLedger } from '../ledger/media-ledger.ts'
import type { UploadHandler } from './upload-handler.ts'

/** The services that uploads use. */
export interface UploadServices {
  readonly ledger: MediaLedger
  readonly storage: Storage
  readonly settings: Settings
  readonly urls: Pick<MediaUrls, 'build'>
  readonly handler: UploadHandler
  readonly clock: () => number
  readonly logger: Logger
}
