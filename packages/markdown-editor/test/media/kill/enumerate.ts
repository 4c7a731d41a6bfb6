import type { KillPoint } from './failpoints/mortal-process.ts'
import type { Scenario } from './scenarios/index.ts'
import type { Trial, Trials } from './try-kill.ts'
import type { Ground } from './world.ts'

/** Which points are tried. */
export interface Choice {
  /** System calls of the storage too, not only calls of storage and database. */
  readonly files: boolean
  /**
   * `all`: before and after each call. `gaps`: once between any two calls, where nothing happens, and behind the last.
   */
  readonly points: 'all' | 'gaps'
  /** `both`: each point with and without a user who tries again. `either`: now the one, now the other. */
  readonly retries: 'both' | 'either'
  /** The power fails, instead of the process alone. @default false */
  readonly isPowerFailure?: boolean
  /** Only every so many points. @default 1 */
  readonly step?: number
}

/** What enumerating came to. */
export interface Enumeration {
  /** Processes that died. */
  readonly kills: number
  /** What was wrong, one text for each kill after which something was. */
  readonly failures: readonly string[]
}

/** Kills a scenario at each of its calls. */
export async function killEverywhere(
  ground: Ground,
  trials: Trials,
  scenario: Scenario,
  choice: Choice,
): Promise<Enumeration> {
  const whole = await trials.run(scenario, null, true)
  const points = pointsOf(whole.calls, choice)
  const failures = describeFailure(whole)
  let kills = 0
  const next = async (): Promise<void> => {
    for (let point = points.shift(); point; point = points.shift()) {
      const trial = await trials.run(scenario, point.at, point.isRetried, choice.isPowerFailure)
      if (trial.died) kills++
      failures.push(...describeFailure(trial))
    }
  }
  // On a server there is one place; on SQLite several at once, for a trial waits for the disk now and then.
  await Promise.all(Array.from({ length: ground.engine === 'sqlite' ? 4 : 1 }, next))
  return { kills, failures }
}

function pointsOf(calls: readonly string[], { files, points, retries, step = 1 }: Choice): Point[] {
  const numbers = calls.flatMap((name, index) =>
    !files && name.startsWith('fs.') ? [] : [index + 1],
  )
  const all = numbers.flatMap((call): KillPoint[] => [
    { call, when: 'before' },
    ...(points === 'all' || call === numbers.at(-1) ? [{ call, when: 'after' } as const] : []),
  ])
  return all
    .filter((_, index) => index % step === 0)
    .flatMap((at, index) =>
      retries === 'both'
        ? [true, false].map((isRetried) => ({ at, isRetried }))
        : [{ at, isRetried: index % 2 === 0 }],
    )
}

interface Point {
  readonly at: KillPoint
  readonly isRetried: boolean
}

function describeFailure({ scenario, place, isRetried, problems }: Trial): string[] {
  if (problems.length === 0) return []
  return [
    `"${scenario}" killed ${place}${isRetried ? ', tried again' : ''}:\n  ${problems.join('\n  ')}`,
  ]
}
