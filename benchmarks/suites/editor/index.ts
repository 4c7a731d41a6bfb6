import type { Parts } from '../../lib/report.ts'
import { leaks } from './leaks.ts'
import { peers } from './peers.ts'
import { size } from './size.ts'
import { typing } from './typing.ts'

/** The parts of this suite in the order in which they run. */
export const parts: Parts = { size, leaks, typing, peers }
