import type { Parts } from '../../lib/report.ts'
import { finalize } from './finalize.ts'
import { sweep } from './sweep.ts'
import { upload } from './upload.ts'

export const parts: Parts = { upload, finalize, sweep }
