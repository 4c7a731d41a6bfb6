import type { Application } from '../application.ts'
import type { Installation, InstallationSettings } from '../installation.ts'
import type { Memory } from '../memory.ts'

export type Action = (
  application: Application,
  memory: Memory,
  installation: Installation,
) => Promise<void>

/** Work of an application. Its process is killed at a call of the storage or the database. */
export interface Scenario extends InstallationSettings {
  readonly name: string
  /** Prepares the data before the work. Is not killed. */
  readonly prepare?: Action
  /** The work that is killed. */
  readonly run: Action
  /** Repeats the work after the restart. Its assertions must hold for each point of the kill. */
  readonly retry?: Action
}

export const DAY = 86_400
export const ADA = 'ada'
export const GRACE = 'grace'

export function assert(condition: boolean, message: string): void {
  if (!condition) throw new Error(message)
}

export async function publish(application: Application, text: string, id = 1): Promise<void> {
  const finalized = await application.finalize(ADA, text)
  assert(finalized.missing.length === 0, `Missing: ${finalized.missing.join()}`)
  await application.save(ADA, { id, body: finalized.text })
}
