import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFakeClock, createMemoryUsers } from '@quillgate/trusted-devices/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli } from '../../src/cli/run.ts'
import { BearerClient } from '../support/client.ts'
import { createDevices, type TestDevices } from '../support/create-devices.ts'
import { QUIET, SECRET } from '../support/house.ts'
import { createProjectFolder } from '../support/project-folder.ts'

let folder: string
let devices: TestDevices
const clock = createFakeClock()
let runs = 0

/** The application, a minute later. */
const CONFIG = `
import { createQuillgate } from '@quillgate/server'
import { createTrustedDevices } from '@quillgate/trusted-devices'
const gate = createQuillgate({
  secret: '${SECRET}',
  database: 'sqlite:' + import.meta.dirname + '/test.sqlite',
  clock: () => ${clock() + 60_000},
})
export const devices = createTrustedDevices(gate, {
  users: { findById: (id) => ({ id }) },
  receivers: () => {
    devices.signals.deviceCreated.connect(() => {})
    devices.signals.deviceRevoked.connect(() => {})
  },
  settings: { outbox: true },
})
`

beforeEach(async () => {
  folder = await createProjectFolder()
  runs = 0
  devices = createDevices({
    secret: SECRET,
    database: `sqlite:${join(folder, 'test.sqlite')}`,
    users: createMemoryUsers([{ id: '1', username: 'ada', password: 'pw' }]),
    clock,
    logger: QUIET,
    settings: { loginRateLimit: null, outbox: true, outboxInterval: null, outboxAttempts: 1 },
  })
  devices.signals.deviceCreated.connect(() => {
    throw new Error('no\nmail server')
  })
})
afterEach(async () => {
  await devices.close()
  await rm(folder, { recursive: true, force: true })
})

async function cli(...args: string[]) {
  let [out, err] = ['', '']
  // A module of its own for each run, as each process would have.
  const config = `run-${runs++}.config.ts`
  await writeFile(join(folder, config), CONFIG)
  const code = await runCli([...args, '--config', config], {
    folder,
    write: (text) => {
      out += text
    },
    writeError: (text) => {
      err += text
    },
  })
  return { code, out, err }
}

describe('trusted-devices outbox', () => {
  it('shows what is dead, and replays and delivers it', async () => {
    const client = new BearerClient(devices)
    await client.login()
    const listed = await cli('outbox', 'list', '--state', 'dead', '--json')
    expect(listed).toMatchObject({ code: 0, err: '' })
    const { events, next_cursor } = JSON.parse(listed.out)
    expect(next_cursor).toBeNull()
    expect(events).toEqual([
      {
        ...{
          event_id: expect.any(String),
          destination: 'receivers',
          signal: 'device_created',
          user_id: '1',
        },
        ...{
          device_uid: client.uid,
          reason: 'login',
          at: new Date(clock()).toISOString(),
          state: 'dead',
        },
        ...{
          attempts: 1,
          next_attempt_at: null,
          last_error: expect.stringContaining('mail server'),
        },
      },
    ])
    expect((await cli('outbox', 'list')).out).toMatch(
      /dead {2}device_created .* 1 attempt {2}a receiver: Error: no mail/,
    )
    const replay = await cli('outbox', 'replay', '--event', events[0].event_id, '--json')
    expect(JSON.parse(replay.out)).toEqual({ replayed: 1 })
    const delivered = await cli('outbox', 'deliver', '--json')
    expect(JSON.parse(delivered.out)).toEqual({ delivered: 1, retrying: 0, dead: 0 })
    expect((await cli('outbox', 'list', '--state', 'dead')).out).toBe('No events.\n')
    expect((await cli('outbox', 'deliver')).out).toMatch(/^Delivered 0 events/)
    expect((await cli('outbox', 'replay', '--everything')).out).toMatch(/^0 dead events/)
  })

  it('is particular about its usage', async () => {
    for (const args of [
      ['outbox'],
      ['outbox', 'bless'],
      ['outbox', 'list', 'more'],
      ['outbox', 'list', '--state', 'asleep'],
      ['outbox', 'list', '--limit', 'x'],
      ['outbox', 'replay'],
      ['outbox', 'replay', '--everything', '--user', '1'],
      ['outbox', 'deliver', '--state', 'dead'],
    ]) {
      expect((await cli(...args)).code, args.join(' ')).toBe(2)
    }
  })
})
