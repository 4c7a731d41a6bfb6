import type { Parts } from '../../lib/report.ts'
import { finalize } from './finalize.ts'
import { sweep } from './sweep.ts'
import { upload } from './upload.ts'

/** The goals of media, in the order in which they are measured. */
export const parts: Parts = { upload, finalize, sweep }
