import { setImmediate } from 'node:timers/promises'
import { openDatabase } from '@quillgate/server/database'
import type { TestEngine } from '@quillgate/server/testing'
import { expect } from 'vitest'
import { BearerClient, problemOf } from './client.ts'
import type { TestDevices } from './create-devices.ts'
import { type House, openHouse } from './house.ts'

const USERS = 10
const LOGINS = 40
const STORM_LIMIT = 5 // The device limit of a user.

/** The title of a test that runs {@link stormOn}. */
export const STORM = `${LOGINS} logins at once of each of ${USERS} users`

/** Raises the connection timeout, because logins wait long on a busy machine. */
export async function stormOn(
  engine: TestEngine,
  urlsOf: (url: string) => readonly string[],
): Promise<void> {
  const house = await openHouse(engine, { maxDevices: STORM_LIMIT })
  const databases = urlsOf(house.url).map((url) => openDatabase(url, { connectTimeout: 60 }))
  try {
    await storm(
      house,
      databases.map(({ kysely }) => house.reopenWith({ database: kysely })),
    )
  } finally {
    await house.close()
    for (const database of databases) await database.close()
  }
}

/**
 * Signs users in on several nodes in parallel. Checks the lists of devices during the logins.
 * Afterwards, checks the responses, the signals and the lists.
 */
async function storm(house: House, nodes: readonly TestDevices[]): Promise<void> {
  const names = Array.from({ length: USERS }, (_, index) => `user${index}`)
  for (const name of names) house.users.set({ id: name, username: name, password: 'pw' })
  const watches = [house.reopen(), ...nodes.slice(1)].map((node) => watchLimit(node, names))
  const clients = names.flatMap((name) =>
    Array.from({ length: LOGINS }, (_, index) => ({
      name,
      client: new BearerClient(nodes[index % nodes.length] as TestDevices),
    })),
  )
  const answers = await Promise.all(clients.map(({ name, client }) => client.login(name))).finally(
    () => {
      for (const watch of watches) watch.end()
    },
  )
  const watched = await Promise.all(watches.map(({ result }) => result))
  for (const { reads } of watched) expect(reads).toBeGreaterThan(0)

  const uidsOf = (name: 'device_created' | 'device_revoked'): string[] =>
    house.signals.events.flatMap((event) =>
      'device' in event && event.signal === name ? [event.device.uid] : [],
    )
  const created = uidsOf('device_created')
  const revoked = uidsOf('device_revoked')
  const lists = await Promise.all(
    nodes.flatMap((node) => names.map((name) => node.registry.list(name))),
  )
  expect({
    problems: await Promise.all(answers.filter(({ status }) => status !== 200).map(problemOf)),
    most: Math.max(...watched.map(({ most }) => most)),
    created: created.length,
    createdTwice: created.length - new Set(created).size,
    revoked: revoked.length,
    revokedTwice: revoked.length - new Set(revoked).size,
    listed: [...new Set(lists.map(({ devices }) => devices.length))],
    listedThoughRevoked: lists
      .flatMap(({ devices }) => devices)
      .filter(({ uid }) => revoked.includes(uid)).length,
  }).toEqual({
    problems: [],
    most: STORM_LIMIT,
    created: USERS * LOGINS,
    createdTwice: 0,
    revoked: USERS * (LOGINS - STORM_LIMIT),
    revokedTwice: 0,
    listed: [STORM_LIMIT],
    listedThoughRevoked: 0,
  })
}

function watchLimit(node: TestDevices, names: readonly string[]) {
  let [isOver, reads, most] = [false, 0, 0]
  const read = async () => {
    do {
      // SQLite works synchronously, so the logins would never run without this pause.
      await setImmediate()
      for (const name of names) {
        most = Math.max(most, (await node.registry.list(name)).devices.length)
        reads++
      }
    } while (!isOver)
    return { reads, most }
  }
  const end = (): void => {
    isOver = true
  }
  return { result: read(), end }
}
