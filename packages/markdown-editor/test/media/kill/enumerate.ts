import type { KillPoint } from './failpoints/mortal-process.ts'
import type { InstallationPool } from './installation-pool.ts'
import type { Scenario } from './scenarios/index.ts'
import type { Trial, Trials } from './try-kill.ts'

/** The points at which a scenario is killed. */
export interface Choice {
  /** Whether to kill at system calls of the storage too, not only at its methods. */
  readonly files: boolean
  /**
   * `all` kills before and after each call. `gaps` kills before each call and after the last call,
   * because nothing takes effect between two calls.
   */
  readonly points: 'all' | 'gaps'
  /** `both` tries each point with and without a retry by the user. `either` alternates. */
  readonly retries: 'both' | 'either'
  /** Whether the power fails, so that unsynced data is lost too. @default false */
  readonly isPowerFailure?: boolean
  /** Tries every n-th point only. @default 1 */
  readonly step?: number
}

export interface Enumeration {
  readonly kills: number
  readonly failures: readonly string[]
}

/** Kills a scenario at each chosen point, each time in a new process. */
export async function killEverywhere(
  pool: InstallationPool,
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
  // Trials often wait for the disk. Only SQLite has installations for several concurrent trials.
  await Promise.all(Array.from({ length: pool.engine === 'sqlite' ? 4 : 1 }, next))
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

function describeFailure({ scenario, diedAt, isRetried, problems }: Trial): string[] {
  if (problems.length === 0) return []
  return [
    `"${scenario}" killed ${diedAt}${isRetried ? ', tried again' : ''}:\n  ${problems.join('\n  ')}`,
  ]
}
