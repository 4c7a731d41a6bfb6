import { deleting } from './deleting.ts'
import { finalizing } from './finalizing.ts'
import { saving } from './saving.ts'
import type { Scenario } from './scenario.ts'
import { sweeping } from './sweeping.ts'
import { uploads } from './uploads.ts'

export type { Scenario } from './scenario.ts'
export { deleting, finalizing, saving, sweeping, uploads }

export const scenarios: readonly Scenario[] = [
  ...uploads,
  ...finalizing,
  ...saving,
  ...deleting,
  ...sweeping,
]
