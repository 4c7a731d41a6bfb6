import type { Parts } from '../../lib/report.ts'
import { leaks } from './leaks.ts'
import { peers } from './peers.ts'
import { size } from './size.ts'
import { typing } from './typing.ts'

/** The goals of the editor in the browser, in the order in which they are measured. */
export const parts: Parts = { size, leaks, typing, peers }
