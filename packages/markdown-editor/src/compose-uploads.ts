import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMediaId, type MediaUrls } from '@quillgate/markdown/media-urls'
import type { MediaLedger } from './media/ledger/media-ledger.ts'
import type { BackgroundSweep } from './media/sweep/background-sweep.ts'
import type { UploadHandler } from './media/upload/upload-handler.ts'
import { createUploads, type Uploads } from './media/upload/uploads.ts'
import type { MarkdownEditorOptions } from './options.ts'
import type { Settings } from './settings.ts'

/** The parts that uploads use besides the application's options. */
export interface UploadParts {
  readonly background: Pick<BackgroundSweep, 'sweepSome'>
  readonly clock: () => number
  readonly handler: UploadHandler
  readonly ledger: MediaLedger
  readonly onUnexpected: (error: unknown) => void
  readonly settings: Settings
  readonly urls: Pick<MediaUrls, 'build'>
}

/** Composes the uploads of an editor, for requests and for server code. */
export function composeUploads(
  { storage, scan, transform }: Pick<MarkdownEditorOptions, 'storage' | 'scan' | 'transform'>,
  { background, clock, handler, ledger, onUnexpected, settings, urls }: UploadParts,
): Uploads {
  const uploads = createUploads({
    ...{ settings, storage, ledger, handler, clock, onUnexpected },
    buildUrl: urls.build,
    createId: () => createMediaId(randomBytes),
    ...(scan ? { scan } : {}),
    ...(transform ? { transform } : {}),
  })
  return withSweep(uploads, background)
}

/** Milliseconds for which an answer waits for files that are being swept; they are swept all the same. */
const LONGEST_WAIT = 1000

/** While a file streams in there is time to sweep a little. */
function withSweep(uploads: Uploads, background: Pick<BackgroundSweep, 'sweepSome'>): Uploads {
  return {
    async receive(file, uploader) {
      const swept = background.sweepSome()
      const upload = await uploads.receive(file, uploader)
      return {
        discard: () => upload.discard(),
        async accept() {
          const answer = await upload.accept()
          await Promise.race([swept, sleep(LONGEST_WAIT, undefined, { ref: false })])
          return answer
        },
      }
    },
  }
}
