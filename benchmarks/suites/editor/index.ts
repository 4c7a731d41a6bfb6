import type { Parts } from '../../lib/report.ts'
import { leaks } from './leaks.ts'
import { peers } from './peers.ts'
import { size } from './size.ts'
import { typing } from './typing.ts'

export const parts: Parts = { size, leaks, typing, peers }
