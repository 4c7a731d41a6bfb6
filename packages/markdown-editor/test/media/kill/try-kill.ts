import { type Application, startApplication } from './application.ts'
import { newDisk } from './failpoints/mortal-files.ts'
import { type KillPoint, MortalProcess } from './failpoints/mortal-process.ts'
import { findProblems } from './find-problems.ts'
import type { Installation } from './installation.ts'
import { createPosts, type InstallationPool, type PooledInstallation } from './installation-pool.ts'
import { bootApplication, Memory } from './memory.ts'
import type { Scenario } from './scenarios/index.ts'

export interface Trial {
  readonly scenario: string
  /** A description of the point at which the process died or should have died. */
  readonly diedAt: string
  readonly died: boolean
  readonly isRetried: boolean
  readonly calls: readonly string[]
  readonly problems: readonly string[]
}

/** Runs trials on one database engine. */
export interface Trials {
  /**
   * Runs a scenario in a process that dies at one point. Then starts another process, optionally
   * repeats the work, lets all grace periods expire, sweeps, and checks for problems.
   *
   * @param point the point of the kill, or null for none
   * @param isPowerFailure whether unsynced files are lost too. The database keeps committed data
   */
  run(
    scenario: Scenario,
    point: KillPoint | null,
    isRetried: boolean,
    isPowerFailure?: boolean,
  ): Promise<Trial>
}

const AFTER_ALL_GRACES = 31 * 86_400_000

/** If installations can be copied, prepares each scenario only once. */
export function createTrials(pool: InstallationPool): Trials {
  const prepared = new Map<
    Scenario,
    Promise<{ readonly pooled: PooledInstallation; readonly memory: Memory }>
  >()

  const prepare = async (
    scenario: Scenario,
  ): Promise<{ pooled: PooledInstallation; memory: Memory }> => {
    const pooled = await pool.fresh(scenario)
    const memory = new Memory()
    if (scenario.prepare) {
      const application = await bootApplication(pooled.installation)
      await scenario.prepare(application, memory, pooled.installation)
      await application.close()
    }
    return { pooled, memory }
  }
  const begin = async (
    scenario: Scenario,
  ): Promise<{ pooled: PooledInstallation; memory: Memory }> => {
    if (scenario.isNew || pool.engine !== 'sqlite') return prepare(scenario)
    const model = prepared.get(scenario) ?? prepare(scenario)
    prepared.set(scenario, model)
    const { pooled, memory } = await model
    return { pooled: (await pool.copyOf(pooled.installation)) ?? pooled, memory: memory.clone() }
  }

  return {
    async run(scenario, point, isRetried, isPowerFailure = false) {
      const { pooled, memory } = await begin(scenario)
      const { installation } = pooled
      const process = new MortalProcess(
        point,
        isPowerFailure ? newDisk(`${installation.directory}-backup`) : null,
      )
      try {
        await runUntilDeath(installation, scenario, memory, process)
        const problems = await runAfterwards(installation, scenario, memory, isRetried)
        const trial = {
          scenario: scenario.name,
          diedAt: process.diedAt,
          died: process.isDead,
          isRetried,
          problems,
        }
        return { ...trial, calls: [...process.calls] }
      } catch (error) {
        const how = `${process.diedAt}${isRetried ? ', tried again' : ''}`
        const message = `"${scenario.name}" failed when killed ${how}: ${String(error)}\n${installation.logged.join('\n')}`
        throw new Error(message, { cause: error })
      } finally {
        process.release()
        await pooled.remove()
      }
    },
  }
}

async function runUntilDeath(
  installation: Installation,
  scenario: Scenario,
  memory: Memory,
  process: MortalProcess,
): Promise<void> {
  const application = startApplication(installation, process, scenario.isNew === true)
  if (!scenario.isNew) await application.editor.ready()
  process.arm()
  const running = scenario.run(application, memory, installation)
  running.catch(() => {}) // Nothing awaits the work of a dead process.
  await Promise.race([running, process.died])
  if (!process.isDead) return application.close()
  await process.silent()
  application.cut()
  await process.disk?.fail()
}

async function runAfterwards(
  installation: Installation,
  scenario: Scenario,
  memory: Memory,
  isRetried: boolean,
): Promise<string[]> {
  const application: Application = await bootApplication(installation, undefined, scenario.isNew)
  try {
    if (scenario.isNew) await createPosts(application.database)
    if (isRetried) await scenario.retry?.(application, memory, installation)
    installation.clock.advance(AFTER_ALL_GRACES)
    await sweepOnce(application)
    const problems = await findProblems(installation, application, memory)
    if (problems.length > 0 || !(await hasOrphans(application))) return problems
    // This sweep orphaned files without references, whose grace period starts only now.
    installation.clock.advance(AFTER_ALL_GRACES)
    await sweepOnce(application)
    return await findProblems(installation, application, memory)
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
