import { setImmediate } from 'node:timers/promises'
import { describeDatabases } from '@quillgate/database/testing/suites'
import type { TrustedDevices } from '@quillgate/trusted-devices'
import { afterEach, expect, it } from 'vitest'
import { BearerClient } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'

const USERS = 10
const LOGINS = 40 // Of each user, at once.
const LIMIT = 5

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())

  it(`${LOGINS} logins at once of each of ${USERS} users on two nodes: never over the limit, no error`, async () => {
    house = await openHouse(engine, { maxDevices: LIMIT })
    const names = Array.from({ length: USERS }, (_, index) => `user${index}`)
    for (const name of names) house.users.set({ id: name, username: name, password: 'pw' })
    const nodes = [house.devices, house.reopen()]
    const watch = watchLimit(house.reopen(), names)
    const clients = names.flatMap((name) =>
      Array.from({ length: LOGINS }, (_, index) => ({
        name,
        client: new BearerClient(nodes[index % 2] as TrustedDevices),
      })),
    )
    const answers = await Promise.all(clients.map(({ name, client }) => client.login(name))).finally(watch.end)
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    const { reads, most } = await watch.result
    expect(reads).toBeGreaterThan(0)
    expect(most).toBe(LIMIT)

    const created = uidsOf('device_created')
    const revoked = uidsOf('device_revoked')
    expect(new Set(created).size).toBe(USERS * LOGINS)
    expect(created).toHaveLength(USERS * LOGINS)
    expect(new Set(revoked).size).toBe(USERS * (LOGINS - LIMIT))
    expect(revoked).toHaveLength(USERS * (LOGINS - LIMIT))
    for (const name of names) {
      const { devices } = await house.devices.list(name)
      expect(devices).toHaveLength(LIMIT)
      expect(devices.filter(({ uid }) => revoked.includes(uid))).toEqual([])
    }
  }, 120_000)

  const uidsOf = (name: 'device_created' | 'device_revoked'): string[] =>
    house.signals.events.flatMap((event) => ('device' in event && event.signal === name ? [event.device.uid] : []))
})

/** Reads the lists of all users again and again. */
function watchLimit(node: TrustedDevices, names: readonly string[]) {
  let [isOver, reads, most] = [false, 0, 0]
  const read = async () => {
    do {
      await setImmediate() // SQLite answers at once: the others would never have their turn.
      for (const name of names) {
        most = Math.max(most, (await node.list(name)).devices.length)
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
