import {
  type KillPoint,
  MortalProcess,
} from '../../../markdown-editor/test/media/kill/failpoints/mortal-process.ts'
import { type Application, startApplication } from './application.ts'
import { findProblems, readState } from './find-problems.ts'
import type { Kept, Scenario } from './scenarios.ts'
import type { Environment, Environments } from './world.ts'

export interface Trial {
  readonly died: boolean
  /** The names of all calls that the process made to the database and to receivers. */
  readonly calls: readonly string[]
  readonly problems: readonly string[]
  readonly repeated: number
}

export interface TrialOptions {
  /** True if the user repeats the action in the next process. */
  readonly isRetried: boolean
}

/**
 * Runs a trial on one database. If the database can be copied, prepares each scenario only once.
 */
export type TryKill = (
  scenario: Scenario,
  point: KillPoint | null,
  options: TrialOptions,
) => Promise<Trial>

/**
 * Creates the function that runs a trial: a scenario in a process that is killed at one point.
 * Another process can then repeat the action, and delivers the events after the end of all leases.
 */
export function createTryKill(environments: Environments): TryKill {
  const models = new Map<string, Promise<Prepared>>()

  async function begin(scenario: Scenario): Promise<Prepared> {
    if (environments.engine !== 'sqlite') return prepare(await environments.open(), scenario)
    const { name } = scenario
    const model =
      models.get(name) ?? environments.open().then((environment) => prepare(environment, scenario))
    models.set(name, model)
    const { environment, clients } = await model
    return { environment: await environments.open(environment), clients }
  }

  return async (scenario, point, { isRetried }) => {
    const { environment, clients } = await begin(scenario)
    const before = new Set(environment.received.map(({ uid }) => uid))
    const process = new MortalProcess(point)
    await runUntilDeath(environment, scenario, clients, process)
    const problems = await runAfterwards(environment, scenario, clients, isRetried, before)
    process.release()
    return {
      died: process.isDead && point !== null,
      calls: [...process.calls],
      problems,
      repeated: repeatedOf(environment),
    }
  }
}

interface Prepared {
  readonly environment: Environment
  readonly clients: readonly Kept[]
}

async function prepare(
  environment: Environment,
  { prepare: run, leave, settings }: Scenario,
): Promise<Prepared> {
  const application = await startApplication(environment, undefined, settings)
  const clients = (await run?.(application)) ?? []
  await application.close()
  if (leave) {
    const failing = await startApplication(environment, undefined, settings, false)
    await leave(failing)
    await failing.close()
  }
  return { environment, clients }
}

async function runUntilDeath(
  environment: Environment,
  scenario: Scenario,
  clients: readonly Kept[],
  process: MortalProcess,
): Promise<void> {
  const application = await startApplication(environment, process, scenario.settings)
  process.arm()
  const running = scenario.run(application, clients).then(() => application.devices.close())
  running.catch(() => {}) // After the kill, a rejection is expected.
  await Promise.race([running, process.died])
  if (process.isDead) application.cut()
  else await application.close()
}

async function runAfterwards(
  environment: Environment,
  scenario: Scenario,
  clients: readonly Kept[],
  isRetried: boolean,
  before: ReadonlySet<string>,
): Promise<string[]> {
  const application: Application = await startApplication(environment, undefined, scenario.settings)
  try {
    if (isRetried) await scenario.run(application, clients)
    for (let time = 0; time < 3; time++) {
      environment.clock.advance(3_600_000)
      await application.devices.outbox.deliver()
    }
    // In one scenario, the process is killed after an event became dead and before it is replayed.
    if ((await application.devices.outbox.replay({ everything: true })) > 0)
      await application.devices.outbox.deliver()
    const state = await readState(application.sql)
    return findProblems(state, environment.received, before)
  } finally {
    await application.close()
  }
}

function repeatedOf({ received }: Environment): number {
  return received.length - new Set(received.map(({ eventId }) => eventId)).size
}
