import type { Parts } from '../../lib/report.ts'
import { alarms } from './alarms.ts'
import { authenticate } from './authenticate.ts'
import { filters } from './filters.ts'
import { many } from './many.ts'
import { names } from './names.ts'

export const parts: Parts = { authenticate, many, filters, alarms, names }
