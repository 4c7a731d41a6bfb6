import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { migrate, openDatabase } from '@quillgate/server/database'
import type { TestEngine } from '@quillgate/server/testing'
import { deviceMigrations } from '@quillgate/trusted-devices'
import { Random } from '../../../../markdown/test/attacks/fuzz/random.ts'
import { createDevices } from '../../support/create-devices.ts'
import { findProblems, readState } from '../find-problems.ts'
import { connectAll, type ReceivedEvent } from '../received-event.ts'
import type { ServerHouse } from './server-process.ts'
import { User } from './user.ts'

export interface Round {
  readonly kills: number
  readonly answers: number
  /** The number of events that receivers got, including repetitions. */
  readonly events: number
  /** The number of these repetitions. */
  readonly repeated: number
  readonly problems: readonly string[]
}

const MOST_ANSWERS = 40
const LONGEST_PAUSE = 10 // Milliseconds.
/**
 * The clock of each new server is up to this many milliseconds ahead of the killed server's clock,
 * so that leases expire.
 */
const LONGEST_NIGHT = 30_000
const USERS = 4

/** Kills and restarts a server many times at random moments, while users work on it. */
export async function runRound(
  house: ServerHouse,
  engine: TestEngine,
  { kills, seed }: { readonly kills: number; readonly seed: number },
): Promise<Round> {
  const opened = await engine.open()
  const folder = await mkdtemp(join(tmpdir(), 'quillgate-signals-'))
  try {
    await migrate(opened.database, deviceMigrations)
    const eventsFile = join(folder, 'events.jsonl')
    const random = new Random(seed)
    let [answers, clockOffset] = [0, 0]
    const users = Array.from(
      { length: USERS },
      (_, id) => new User(`user${id}`, random, () => answers++),
    )
    for (let kill = 0; kill < kills; kill++) {
      const server = await house.start({ databaseUrl: opened.url, eventsFile, clockOffset })
      const enough = answers + random.below(MOST_ANSWERS)
      const working = Promise.all(users.map((user) => user.work(server.origin)))
      while (answers < enough) await sleep(1)
      await sleep(random.below(LONGEST_PAUSE))
      await server.kill()
      await working
      clockOffset += random.below(LONGEST_NIGHT)
    }
    const problems = users.flatMap((user) => user.problems)
    return {
      kills,
      answers,
      ...(await checkDelivery(opened.url, eventsFile, clockOffset, problems)),
    }
  } finally {
    await opened.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function checkDelivery(
  url: string,
  eventsFile: string,
  clockOffset: number,
  problems: readonly string[],
) {
  await sleep(300) // A database server may still finish a statement of a killed client.
  const received = (await readFile(eventsFile, 'utf8'))
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as ReceivedEvent)
  const devices = createDevices({
    secret: 'a secret of at least thirty-two bytes',
    database: url,
    users: { findById: (id) => ({ id }) },
    clock: () => Date.now() + clockOffset + 3_600_000,
    settings: { outbox: true, outboxInterval: null },
  })
  connectAll(devices.signals, (each) => received.push(each))
  await devices.outbox.deliver()
  await devices.close()
  const database = openDatabase(url)
  const state = await readState(database.executor(database.kysely))
  await database.close()
  return {
    events: received.length,
    repeated: received.length - new Set(received.map(({ eventId }) => eventId)).size,
    problems: [...problems, ...findProblems(state, received, new Set())],
  }
}
