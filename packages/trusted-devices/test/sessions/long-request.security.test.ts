import { sqliteEngine } from '@quillgate/server/testing'
import { afterEach, expect, it } from 'vitest'
import { BearerClient } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'

let house: House
afterEach(() => house.close())

it('a request that lives long sees the revocation of its device after 5 seconds', async () => {
  house = await openHouse(sqliteEngine())
  const client = new BearerClient(house.devices)
  await client.login()
  const { gate } = house.devices
  const context = gate.parts.contexts.open(
    new Request('http://localhost/socket', {
      headers: { authorization: `Bearer ${client.access}` },
    }),
    {},
  )
  const identify = () => gate.parts.identify(context)
  const known = await identify()
  expect(known).toMatchObject({ user: { id: '1' }, isBearer: true })
  await house.devices.registry.revokeAll('1')
  expect(await identify()).toBe(known)
  house.clock.advance(5_000)
  expect(await identify()).toBeNull()
})
