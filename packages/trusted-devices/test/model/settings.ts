import type { TestSettings } from '../support/create-devices.ts'

const DAY = 86_400 // Seconds.

/** What nodes are configured with, one after the other. */
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

/** Settings of each node, whatever else it has. The devices are read anew, so that what one node did the other knows. */
export const COMMON: TestSettings = {
  loginRateLimit: null,
  refreshRateLimit: null,
}

/** What a specification needs of the settings, all given. Seconds. */
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

/** The documented defaults, written down once more. */
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

/** The rules that settings make. */
export function rulesOf(settings: TestSettings): Rules {
  return { ...DEFAULTS, ...(settings as Partial<Rules>) }
}
