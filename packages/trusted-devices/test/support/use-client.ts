import { sqliteEngine } from '@quillgate/server/testing'
import { afterEach, beforeEach } from 'vitest'
import { BearerClient } from './client.ts'
import type { TestDevices } from './create-devices.ts'
import { type House, openHouse } from './house.ts'

/** The objects that {@link useClient} has opened for the current test. */
export interface Opened {
  readonly house: House
  readonly devices: TestDevices
  /** A client with which ada has signed in. */
  readonly client: BearerClient
}

/** Before each test, opens trusted devices on SQLite and signs in a client. */
export function useClient(): Opened {
  let house: House
  let client: BearerClient
  beforeEach(async () => {
    house = await openHouse(sqliteEngine())
    client = new BearerClient(house.devices)
    await client.login()
  })
  afterEach(() => house.close())
  return {
    get house() {
      return house
    },
    get devices() {
      return house.devices
    },
    get client() {
      return client
    },
  }
}
