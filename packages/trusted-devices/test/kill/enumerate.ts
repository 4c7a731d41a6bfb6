import type { KillPoint } from '../../../markdown-editor/test/media/kill/failpoints/mortal-process.ts'
import type { Scenario } from './scenarios.ts'
import type { Trial, TryKill } from './try-kill.ts'

export interface Choice {
  /** With 3, for example, uses only every third point. */
  readonly step: number
}

export interface Enumeration {
  readonly kills: number
  /** The number of events that receivers got again, with the same id. */
  readonly repeated: number
  readonly failures: readonly string[]
}

/**
 * Runs a scenario many times. Kills the process at every `step`-th point, before and after its
 * calls to the database and receivers.
 */
export async function killEverywhere(
  tryKill: TryKill,
  scenario: Scenario,
  { step }: Choice,
): Promise<Enumeration> {
  const whole = await tryKill(scenario, null, { isRetried: false })
  const failures = describeFailure(scenario, 'nowhere', whole)
  const points = whole.calls.flatMap((_, index): KillPoint[] => [
    { call: index + 1, when: 'before' },
    { call: index + 1, when: 'after' },
  ])
  let [kills, repeated] = [0, 0]
  for (const [index, point] of points.entries()) {
    if (index % step !== 0) continue
    const isRetried = (index >> 1) % 2 === 0
    const trial = await tryKill(scenario, point, { isRetried })
    if (trial.died) kills++
    repeated += trial.repeated
    failures.push(...describeFailure(scenario, describePoint(point, trial, isRetried), trial))
  }
  return { kills, repeated, failures }
}

function describePoint(point: KillPoint, { calls }: Trial, isRetried: boolean): string {
  if ('name' in point) return point.name
  return `${point.when} call ${point.call}, ${calls[point.call - 1]}${isRetried ? ', tried again' : ''}`
}

function describeFailure({ name }: Scenario, where: string, { problems }: Trial): string[] {
  return problems.length === 0 ? [] : [`"${name}" killed ${where}:\n  ${problems.join('\n  ')}`]
}
