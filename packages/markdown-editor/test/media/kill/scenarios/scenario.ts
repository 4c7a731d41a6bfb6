import type { Application } from '../application.ts'
import type { Memory } from '../memory.ts'
import type { Place, PlaceSettings } from '../place.ts'

export type Act = (application: Application, memory: Memory, place: Place) => Promise<void>

/** Something that an application does, and that is killed at each of its calls. */
export interface Scenario extends PlaceSettings {
  readonly name: string
  /** What was done before, in peace. */
  readonly prepare?: Act
  /** What is killed. */
  readonly run: Act
  /** What users do again after the restart, whether they need to or not. Its expectations hold wherever the kill was. */
  readonly retry?: Act
}

export const DAY = 86_400
export const ADA = 'ada'
export const GRACE = 'grace'

export function assert(condition: boolean, message: string): void {
  if (!condition) throw new Error(message)
}

/** Finalizes, saves the post, and expects nothing to be missing. */
export async function publish(application: Application, text: string, id = 1): Promise<void> {
  const finalized = await application.finalize(ADA, text)
  assert(finalized.missing.length === 0, `Missing: ${finalized.missing.join()}`)
  await application.save(ADA, { id, body: finalized.text })
}
