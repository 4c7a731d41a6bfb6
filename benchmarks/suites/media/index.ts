import type { Parts } from '../../lib/report.ts'
import { finalize } from './finalize.ts'
import { sweep } from './sweep.ts'
import { upload } from './upload.ts'

/** The parts of this suite in the order in which they run. */
export const parts: Parts = { upload, finalize, sweep }
