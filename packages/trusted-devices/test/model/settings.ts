import type { TestSettings } from '../support/create-devices.ts'

const DAY = 86_400 // Seconds.

/** The settings that nodes use. The tests select some of them at random. */
export const SETTINGS: readonly TestSettings[] = [
  {},
  { maxDevices: 1 },
  { maxDevices: 2 },
  { staleAfter: null },
  { staleAfter: DAY, maxDevices: 3 },
  { deleteDelay: 3600, editDelay: 60 },
  { stepUpAge: 300 },
  { maxDevices: 2, staleAfter: null },
  { allowGlobalDelete: false },
  { allowGlobalEdit: false, lastSeenInterval: 0 },
  { defaultCanDeleteOthers: false },
  { maxDevices: 3 },
  { defaultCanEditOthers: false, refreshGrace: 0 },
]

/** The settings of every node, in addition to its own settings. */
export const COMMON: TestSettings = {
  loginRateLimit: null,
  refreshRateLimit: null,
}

/** The settings that the specification uses. Times are in seconds. */
export interface Rules {
  readonly maxDevices: number | null
  readonly staleAfter: number | null
  readonly deleteDelay: number
  readonly editDelay: number
  readonly stepUpAge: number | null
  readonly lastSeenInterval: number
  readonly refreshGrace: number
  readonly allowGlobalDelete: boolean
  readonly allowGlobalEdit: boolean
  readonly defaultCanDeleteOthers: boolean
  readonly defaultCanEditOthers: boolean
}

/** The documented defaults. They are repeated here so that a changed default fails the test. */
const DEFAULTS: Rules = {
  maxDevices: null,
  staleAfter: 90 * DAY,
  deleteDelay: 0,
  editDelay: 0,
  stepUpAge: null,
  lastSeenInterval: 60,
  refreshGrace: 30,
  allowGlobalDelete: true,
  allowGlobalEdit: true,
  defaultCanDeleteOthers: true,
  defaultCanEditOthers: true,
}

export function rulesOf(settings: TestSettings): Rules {
  return { ...DEFAULTS, ...(settings as Partial<Rules>) }
}
