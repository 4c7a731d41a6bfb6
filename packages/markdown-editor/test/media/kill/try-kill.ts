import { type Application, startApplication } from './application.ts'
import { newDisk } from './failpoints/mortal-files.ts'
import { type KillPoint, MortalProcess } from './failpoints/mortal-process.ts'
import { findProblems } from './find-problems.ts'
import { bootApplication, Memory } from './memory.ts'
import type { Place } from './place.ts'
import type { Scenario } from './scenarios/index.ts'
import { createPosts, type Ground, type Stay } from './world.ts'

/** What became of one trial. */
export interface Trial {
  readonly scenario: string
  /** Where the process died, or should have. */
  readonly place: string
  readonly died: boolean
  /** Whether the user tried again. */
  readonly isRetried: boolean
  /** All calls of the process, by name. */
  readonly calls: readonly string[]
  readonly problems: readonly string[]
}

/** Trials on one ground. */
export interface Trials {
  /**
   * Runs a scenario in a process that dies at one point, starts another process, lets the user try again or not, waits for
   * all graces, sweeps once, and looks for problems.
   *
   * @param point null: nobody dies
   * @param isPowerFailure the disk loses what was not synced, too; the database keeps what it committed
   */
  run(
    scenario: Scenario,
    point: KillPoint | null,
    isRetried: boolean,
    isPowerFailure?: boolean,
  ): Promise<Trial>
}

const AFTER_ALL_GRACES = 31 * 86_400_000

/** Begins trials. What was done before a scenario is done once where places can be copied. */
export function createTrials(ground: Ground): Trials {
  const prepared = new Map<Scenario, Promise<{ readonly stay: Stay; readonly memory: Memory }>>()

  const prepare = async (scenario: Scenario): Promise<{ stay: Stay; memory: Memory }> => {
    const stay = await ground.fresh(scenario)
    const memory = new Memory()
    if (scenario.prepare) {
      const application = await bootApplication(stay.place)
      await scenario.prepare(application, memory, stay.place)
      await application.close()
    }
    return { stay, memory }
  }
  const begin = async (scenario: Scenario): Promise<{ stay: Stay; memory: Memory }> => {
    if (scenario.isNew || ground.engine !== 'sqlite') return prepare(scenario)
    const model = prepared.get(scenario) ?? prepare(scenario)
    prepared.set(scenario, model)
    const { stay, memory } = await model
    return { stay: (await ground.copyOf(stay.place)) ?? stay, memory: memory.clone() }
  }

  return {
    async run(scenario, point, isRetried, isPowerFailure = false) {
      const { stay, memory } = await begin(scenario)
      const { place } = stay
      const process = new MortalProcess(
        point,
        isPowerFailure ? newDisk(`${place.directory}-attic`) : null,
      )
      try {
        await runUntilDeath(place, scenario, memory, process)
        const problems = await runAfterwards(place, scenario, memory, isRetried)
        const trial = {
          scenario: scenario.name,
          place: process.place,
          died: process.isDead,
          isRetried,
          problems,
        }
        return { ...trial, calls: [...process.calls] }
      } catch (error) {
        const how = `${process.place}${isRetried ? ', tried again' : ''}`
        const message = `"${scenario.name}" failed when killed ${how}: ${String(error)}\n${place.logged.join('\n')}`
        throw new Error(message, { cause: error })
      } finally {
        process.release()
        await stay.leave()
      }
    },
  }
}

async function runUntilDeath(
  place: Place,
  scenario: Scenario,
  memory: Memory,
  process: MortalProcess,
): Promise<void> {
  const application = startApplication(place, process, scenario.isNew === true)
  if (!scenario.isNew) await application.editor.ready()
  process.arm()
  const running = scenario.run(application, memory, place)
  running.catch(() => {}) // After the death nobody listens.
  await Promise.race([running, process.died])
  if (!process.isDead) return application.close()
  await process.silent()
  application.cut()
  await process.disk?.fail()
}

async function runAfterwards(
  place: Place,
  scenario: Scenario,
  memory: Memory,
  isRetried: boolean,
): Promise<string[]> {
  const application: Application = await bootApplication(place, undefined, scenario.isNew)
  try {
    if (scenario.isNew) await createPosts(application.database)
    if (isRetried) await scenario.retry?.(application, memory, place)
    place.clock.advance(AFTER_ALL_GRACES)
    await sweepOnce(application)
    const problems = await findProblems(place, application, memory)
    if (problems.length > 0 || !(await hasOrphans(application))) return problems
    // Who lost their last reference in the killed process are orphans since this sweep; they have a grace too.
    place.clock.advance(AFTER_ALL_GRACES)
    await sweepOnce(application)
    return await findProblems(place, application, memory)
  } finally {
    await application.close()
  }
}

async function hasOrphans({ database }: Application): Promise<boolean> {
  const orphans = "SELECT id FROM quillgate_media WHERE state = 'orphaned' LIMIT 1"
  return (await database.executor(database.kysely).query(orphans)).length > 0
}

async function sweepOnce({ editor }: Application): Promise<void> {
  const { stopped, failed } = await editor.sweep()
  if (stopped !== null || failed > 0)
    throw new Error(`The sweep: ${JSON.stringify({ stopped, failed })}`)
}
