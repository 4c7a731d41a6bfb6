import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase, toNumber } from '@quillgate/server/database'
import { Random } from '../../../../../markdown/test/attacks/fuzz/random.ts'
import { findProblems } from '../find-problems.ts'
import type { Installation } from '../installation.ts'
import { type InstallationPool, prepareInstallation } from '../installation-pool.ts'
import { bootApplication, Memory } from '../memory.ts'
import type { RunningServer, ServerHouse } from './server-process.ts'
import { User } from './user.ts'

export interface Round {
  readonly kills: number
  /** The number of answered requests. */
  readonly answers: number
  readonly problems: readonly string[]
}

export interface RoundOptions {
  readonly kills: number
  readonly seed: number
  /** The number of concurrent users. @default 4 */
  readonly users?: number
}

const AFTER_ALL_GRACES = 31 * 86_400_000
/** A server is killed after fewer answers than this and a pause of less than `LONGEST_PAUSE` ms. */
const MOST_ANSWERS = 30
const LONGEST_PAUSE = 8
/** Some servers are killed during their start, within this time in milliseconds. */
const LONGEST_START = 150

/**
 * Repeatedly kills a server at random moments and restarts it. After each restart, all confirmed
 * data must exist. At the end, after all grace periods and one sweep, nothing else may exist.
 */
export async function runRound(
  house: ServerHouse,
  pool: InstallationPool,
  options: RoundOptions,
): Promise<Round> {
  const { installation, remove } = await pool.fresh({ orphanGrace: 0, isNew: true })
  try {
    await prepareInstallation(installation)
    return await killOften(house, installation, options)
  } finally {
    await remove()
  }
}

async function killOften(
  house: ServerHouse,
  installation: Installation,
  options: RoundOptions,
): Promise<Round> {
  const random = new Random(options.seed)
  const memory = new Memory()
  const answers = createCounter()
  const users = Array.from(
    { length: options.users ?? 4 },
    (_, number) => new User(number, memory, random, answers.increase),
  )
  const problems = (): string[] => users.flatMap((user) => user.problems)
  let kills = 0
  while (kills < options.kills && problems().length === 0) {
    if (random.chance(0.1)) {
      await house.killAtStart(serverOptions(installation), random.below(LONGEST_START))
      kills++
    }
    const server = await house.start(serverOptions(installation))
    await compare(server, users)
    const working = users.map((user) =>
      user.work(
        server.origin,
        users.filter((other) => other !== user),
      ),
    )
    const sweeping = random.chance(0.3)
      ? sweepAt(server, answers.reach(random.below(MOST_ANSWERS)))
      : null
    await Promise.race([answers.reach(random.below(MOST_ANSWERS)), Promise.all(working)])
    await sleep(random.below(LONGEST_PAUSE))
    await server.kill()
    kills++
    answers.stop()
    await Promise.all([...working, sweeping])
    await untilSilent(installation)
    if (random.chance(0.9)) continue
    // A sweep may now delete all unsaved files.
    installation.clock.advance(10 * 86_400_000)
    for (const user of users) user.forgetUnsaved()
  }
  const found = [...problems(), ...(await judge(house, installation, users, memory)), ...problems()]
  return { kills, answers: answers.count, problems: [...new Set(found)] }
}

/** `reach` resolves after the given number of further increases. */
function createCounter() {
  const waiting = new Map<() => void, number>()
  const counter = {
    count: 0,
    increase(): void {
      counter.count++
      for (const [resolve, at] of waiting) if (counter.count >= at) resolve()
    },
    reach: (more: number): Promise<void> =>
      new Promise((resolve) => {
        if (more === 0) resolve()
        else waiting.set(resolve, counter.count + more)
      }),
    stop(): void {
      for (const resolve of waiting.keys()) resolve()
      waiting.clear()
    },
  }
  return counter
}

function serverOptions({
  engine,
  url,
  directory,
  orphanGrace,
  clock,
}: Installation): Parameters<ServerHouse['start']>[0] {
  const name = schemaName(url)
  const databaseUrl = engine === 'postgres' ? `${url}&application_name=${name}` : url
  const clockOffset = clock() - Date.now()
  return { databaseUrl, directory, orphanGrace, clockOffset, deletedFile: deletedFile(directory) }
}

function deletedFile(directory: string): string {
  return `${directory}-deleted.txt`
}

function schemaName(url: string): string {
  return /search_path%3D(\w+)/.exec(url)?.[1] ?? ''
}

async function compare({ origin }: RunningServer, users: readonly User[]): Promise<void> {
  const response = await fetch(`${origin}/posts`)
  const rows = (await response.json()) as { id: number; body: string }[]
  const posts = new Map(rows.map(({ id, body }) => [toNumber(id), body]))
  await Promise.all(users.map((user) => user.compare(origin, posts)))
}

async function sweepAt({ origin }: RunningServer, moment: Promise<void>): Promise<void> {
  await moment
  const response = await fetch(`${origin}/sweep`).catch(() => null)
  await response?.text().catch(() => {}) // The server is usually killed during the sweep.
}

async function judge(
  house: ServerHouse,
  installation: Installation,
  users: readonly User[],
  memory: Memory,
): Promise<string[]> {
  const server = await house.start(serverOptions(installation))
  await compare(server, users)
  await server.kill()
  await untilSilent(installation)
  const deleted = await readFile(deletedFile(installation.directory), 'utf8').catch(() => '')
  for (const id of deleted.split('\n')) installation.deletedIds.add(id)
  installation.clock.advance(AFTER_ALL_GRACES)
  const application = await bootApplication(installation)
  try {
    const { stopped, failed } = await application.editor.sweep()
    const problems =
      stopped === null && failed === 0 ? [] : [`The sweep: ${JSON.stringify({ stopped, failed })}`]
    return [...problems, ...(await findProblems(installation, application, memory))]
  } finally {
    await application.close()
  }
}

/** Waits until the database server has closed all connections of the dead process. */
async function untilSilent({ engine, url }: Installation): Promise<void> {
  if (engine === 'sqlite') return
  const database = openDatabase(url, { poolSize: 1 })
  const executor = database.executor(database.kysely)
  const clients =
    engine === 'postgres'
      ? `SELECT count(*) AS clients FROM pg_stat_activity WHERE application_name = '${schemaName(url)}'`
      : 'SELECT count(*) AS clients FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()'
  try {
    while (toNumber((await executor.query(clients))[0]?.['clients']) > 0) await sleep(2)
  } finally {
    await database.close()
  }
}
