import type { MediaUrls } from '@quillgate/markdown/media-urls'
import type { Installation } from './ledger/installation.ts'
import type { LedgerDatabase } from './ledger/ledger-database.ts'
import type { Medium } from './ledger/medium.ts'
import type { CanManage } from './ledger/principal.ts'
import type { UploadServices } from './upload/upload-services.ts'

/** The services that an editor uses to handle media. */
export interface MediaServices extends UploadServices {
  readonly database: LedgerDatabase
  readonly installation: Installation
  readonly urls: MediaUrls
  readonly canManage?: CanManage | undefined
  /** Called after the bytes of a file are deleted. After a crash, it may be called again. */
  readonly onDeleted?: ((medium: Medium) => void | Promise<void>) | undefined
}
