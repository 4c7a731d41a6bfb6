import type { Parts } from '../../lib/report.ts'
import { bundle } from './bundle.ts'
import { conformance } from './conformance.ts'
import { hostile } from './hostile.ts'
import { memory } from './memory.ts'
import { cleaning, raw } from './speed.ts'
import { typing } from './typing.ts'

export const parts: Parts = { conformance, raw, cleaning, hostile, typing, memory, bundle }
