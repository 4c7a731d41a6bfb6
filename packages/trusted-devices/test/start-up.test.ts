import { mount } from '@quillgate/server/node'
import { createMemoryUsers } from '@quillgate/trusted-devices/testing'
import { expect, it } from 'vitest'
import { createDevices } from './support/create-devices.ts'
import { SECRET } from './support/house.ts'

it('mounting devices with an unreachable database logs one line and still serves static files', async () => {
  const logged: unknown[][] = []
  const devices = createDevices({
    secret: SECRET,
    database: 'postgres://ada:hunter2@127.0.0.1:9/forum',
    users: createMemoryUsers([]),
    logger: { warn: () => {}, error: (...what) => void logged.push(what) },
  })
  mount(devices.gate)
  const line =
    /^trusted-devices cannot start: The database postgres:\/\/127\.0\.0\.1:9\/forum cannot be reached: .*ECONNREFUSED/
  await expect.poll(() => logged).toEqual([[expect.stringMatching(line)]])
  await expect(devices.ready()).rejects.toThrow(/127\.0\.0\.1:9\/forum cannot be reached/)
  const answer = async (path: string): Promise<string> =>
    (await devices.fetch(new Request(`http://localhost/trusted-devices${path}`))).text()
  expect(await answer('/assets/x/y.js')).not.toContain('database_unavailable')
  expect(await answer('')).toMatch(/database_unavailable/)
  expect(await answer('')).not.toMatch(/127|forum|ECONN|hunter2/)
  await devices.close()
})
