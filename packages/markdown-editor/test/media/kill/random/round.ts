import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase, toNumber } from '@quillgate/server/database'
import { Random } from '../../../../../markdown/test/attacks/fuzz/random.ts'
import { findProblems } from '../find-problems.ts'
import { bootApplication, Memory } from '../memory.ts'
import type { Place } from '../place.ts'
import { type Ground, preparePlace } from '../world.ts'
import type { RunningServer, ServerHouse } from './server-process.ts'
import { User } from './user.ts'

/** What a round came to. */
export interface Round {
  readonly kills: number
  /** Requests that were answered. */
  readonly answers: number
  readonly problems: readonly string[]
}

/** Options of a round. */
export interface RoundOptions {
  readonly kills: number
  readonly seed: number
  /** Users at once. @default 4 */
  readonly users?: number
}

const AFTER_ALL_GRACES = 31 * 86_400_000
/** A server is killed after fewer answers than these, and fewer milliseconds. */
const MOST_ANSWERS = 30
const LONGEST_PAUSE = 8
/** Milliseconds after which some are killed while they start. */
const LONGEST_START = 150

/**
 * Lets users work on a server, kills it at a random moment, and starts it again, many times in one place. After each
 * restart, all that was answered must be there; at the end, when all graces are over and one sweep is done, nothing else.
 */
export async function runRound(
  house: ServerHouse,
  ground: Ground,
  options: RoundOptions,
): Promise<Round> {
  const { place, leave } = await ground.fresh({ orphanGrace: 0, isNew: true })
  try {
    await preparePlace(place)
    return await killOften(house, place, options)
  } finally {
    await leave()
  }
}

async function killOften(house: ServerHouse, place: Place, options: RoundOptions): Promise<Round> {
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
      await house.killAtStart(serverOptions(place), random.below(LONGEST_START))
      kills++
    }
    const server = await house.start(serverOptions(place))
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
    await untilSilent(place)
    if (random.chance(0.9)) continue
    // Some days later: whatever nobody saved may be swept now.
    place.clock.advance(10 * 86_400_000)
    for (const user of users) user.forgetUnsaved()
  }
  const found = [...problems(), ...(await judge(house, place, users, memory)), ...problems()]
  return { kills, answers: answers.count, problems: [...new Set(found)] }
}

/** Counts, and tells when so many more are reached. */
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
    /** Nobody waits any longer. */
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
}: Place): Parameters<ServerHouse['start']>[0] {
  const name = placeName(url)
  const databaseUrl = engine === 'postgres' ? `${url}&application_name=${name}` : url
  const clockOffset = clock() - Date.now()
  return { databaseUrl, directory, orphanGrace, clockOffset, deletedFile: deletedFile(directory) }
}

/** Beside the media. */
function deletedFile(directory: string): string {
  return `${directory}-deleted.txt`
}

/** The schema of a PostgreSQL URL of a test. */
function placeName(url: string): string {
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
  await response?.text().catch(() => {}) // It is killed more often than not.
}

/** Starts once more, waits for all graces, sweeps once, and looks for what must not be. */
async function judge(
  house: ServerHouse,
  place: Place,
  users: readonly User[],
  memory: Memory,
): Promise<string[]> {
  const server = await house.start(serverOptions(place))
  await compare(server, users)
  await server.kill()
  await untilSilent(place)
  const deleted = await readFile(deletedFile(place.directory), 'utf8').catch(() => '')
  for (const id of deleted.split('\n')) place.heardDeleted.add(id)
  place.clock.advance(AFTER_ALL_GRACES)
  const application = await bootApplication(place)
  try {
    const { stopped, failed } = await application.editor.sweep()
    const problems =
      stopped === null && failed === 0 ? [] : [`The sweep: ${JSON.stringify({ stopped, failed })}`]
    return [...problems, ...(await findProblems(place, application, memory))]
  } finally {
    await application.close()
  }
}

/** A server of databases may still end what a dead client began; waits until no connection of it is left. */
async function untilSilent({ engine, url }: Place): Promise<void> {
  if (engine === 'sqlite') return
  const database = openDatabase(url, { poolSize: 1 })
  const executor = database.executor(database.kysely)
  const clients =
    engine === 'postgres'
      ? `SELECT count(*) AS clients FROM pg_stat_activity WHERE application_name = '${placeName(url)}'`
      : 'SELECT count(*) AS clients FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()'
  try {
    while (toNumber((await executor.query(clients))[0]?.['clients']) > 0) await sleep(2)
  } finally {
    await database.close()
  }
}
