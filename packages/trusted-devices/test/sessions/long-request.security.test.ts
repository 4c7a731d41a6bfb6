import { sqliteEngine } from '@quillgate/server/testing'
import { afterEach, expect, it } from 'vitest'
import { BearerClient } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'

let house: House
afterEach(() => house.close())

it('a long request detects the revocation of its device after 5 seconds', async () => {
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
  const identify = () => gate.parts.components.identify(context)
  const known = await identify()
  expect(known).toMatchObject({ user: { id: '1' }, isBearer: true })
  await house.devices.registry.revokeAll('1')
  expect(await identify()).toEqual(known)
  house.clock.advance(5_000)
  expect(await identify()).toBeNull()
})

it('a long request that signed in detects a revocation, and a logout immediately', async () => {
  house = await openHouse(sqliteEngine())
  const { gate, login, logout, registry } = house.devices
  const context = gate.parts.contexts.open(new Request('http://localhost/stream'), {})
  const identify = () => gate.parts.components.identify(context)
  await login({ id: '1' }, context)
  house.clock.advance(5_000)
  expect(await identify()).toMatchObject({ user: { id: '1' }, isBearer: false })
  await registry.revokeAll('1')
  house.clock.advance(5_000)
  expect(await identify()).toBeNull()
  await login({ id: '1' }, context)
  expect(await identify()).toMatchObject({ user: { id: '1' } })
  await logout(context)
  expect(await identify()).toBeNull()
  house.clock.advance(5_000)
  expect(await identify()).toBeNull()
})
