import type { KillPoint } from '../../../markdown-editor/test/media/kill/failpoints/mortal-process.ts'
import type { Scenario } from './scenarios.ts'
import type { Trial, TryKill } from './try-kill.ts'

/** Selects the points at which the process is killed. */
export interface Choice {
  /** Uses every n-th point only. */
  readonly step: number
}

/** The result of an enumeration. */
export interface Enumeration {
  /** The number of processes that died. */
  readonly kills: number
  /** The number of events that receivers got again, with the same id. */
  readonly repeated: number
  /** The problems, one text for each kill that caused one. */
  readonly failures: readonly string[]
}

/** Kills a scenario before and after each of its calls, with and without a user who tries again. */
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
