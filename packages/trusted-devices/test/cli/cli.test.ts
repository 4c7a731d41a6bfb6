import { spawn } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '@quillgate/server/database'
import { createFakeClock, createMemoryUsers } from '@quillgate/trusted-devices/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runCli } from '../../src/cli/run.ts'
import { BearerClient } from '../support/client.ts'
import { createDevices, type TestDevices } from '../support/create-devices.ts'
import { SECRET } from '../support/house.ts'
import { createProjectFolder } from '../support/project-folder.ts'

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const DAY = 86_400

vi.setConfig({ testTimeout: 120_000 }) // Each command is a separate process.

let folder: string
let devices: TestDevices
const clock = createFakeClock()

/**
 * The configuration of an application. Its receiver of signals records events, and takes longer
 * than receiverTimeout.
 */
const CONFIG = `
import { appendFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createQuillgate } from '@quillgate/server'
import { createTrustedDevices } from '@quillgate/trusted-devices'

setInterval(() => {}, 1000) // Keeps the process alive, like the connections of an application.
export const answer: number = 42
const gate = createQuillgate({
  secret: '${SECRET}',
  database: 'sqlite:' + import.meta.dirname + '/test.sqlite',
  clock: () => ${Date.UTC(2026, 6, 1)},
  logger: { warn() {}, error() {} },
})
export const devices = createTrustedDevices(gate, {
  users: { findById: (id) => ({ id }) },
  settings: { receiverTimeout: 0.01 },
})
devices.signals.deviceRevoked.connect(async ({ user, deviceUid, reason }) => {
  await sleep(50)
  await appendFile(import.meta.dirname + '/events.txt', [user.id, deviceUid, reason].join(' ') + '\\n')
})
`

beforeEach(async () => {
  folder = await createProjectFolder()
  await writeFile(join(folder, 'quillgate.config.ts'), CONFIG)
  await writeFile(join(folder, 'events.txt'), '')
  clock.set(Date.UTC(2026, 6, 1))
  devices = createDevices({
    secret: SECRET,
    database: `sqlite:${join(folder, 'test.sqlite')}`,
    users: createMemoryUsers([
      { id: '1', username: 'ada', password: 'pw' },
      { id: '2', username: 'grace', password: 'pw' },
    ]),
    clock,
    settings: { loginRateLimit: null },
  })
})
afterEach(async () => {
  await devices.close()
  await rm(folder, { recursive: true, force: true })
})

async function login(username: string, daysAgo = 0): Promise<string> {
  clock.set(Date.UTC(2026, 6, 1) - daysAgo * DAY * 1000)
  const client = new BearerClient(devices)
  await client.login(username)
  return client.uid
}

async function execute(sql: string, values: readonly string[] = []): Promise<void> {
  const database = openDatabase(`sqlite:${join(folder, 'test.sqlite')}`)
  await database.executor(database.kysely).execute(sql, values)
  await database.close()
}

function run(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    code: number | null
    out: string
    err: string
  }>()
  const child = spawn(process.execPath, ['--conditions=@quillgate/source', MAIN, ...args], {
    cwd: folder,
  })
  let out = ''
  let err = ''
  child.stdout.on('data', (data: Buffer) => {
    out += data
  })
  child.stderr.on('data', (data: Buffer) => {
    err += data
  })
  child.on('error', reject)
  child.on('close', (code) => resolve({ code, out, err }))
  return promise
}

async function runHere(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const written = { out: '', err: '' }
  const code = await runCli(args, {
    folder,
    write: (text) => {
      written.out += text
    },
    writeError: (text) => {
      written.err += text
    },
  })
  return { code, ...written }
}

const receivedEvents = async (): Promise<string[]> =>
  (await readFile(join(folder, 'events.txt'), 'utf8')).split('\n').filter(Boolean).sort()

describe('trusted-devices cleanup', () => {
  it('revokes stale devices of all users, and waits for their receivers', async () => {
    const a = await login('ada', 100)
    const b = await login('grace', 91)
    await login('grace', 89)
    const dry = await run('cleanup', '--dry-run')
    expect(dry).toMatchObject({
      code: 0,
      out: expect.stringContaining('[dry run] Would revoke 2 stale devices'),
    })
    expect(await receivedEvents()).toEqual([])
    const { code, out } = await run('cleanup', '--config', 'quillgate.config.ts', '--json')
    expect(JSON.parse(out)).toEqual({
      revoked: 2,
      reduced_addresses: expect.any(Number),
      seen_before: '2026-04-02T00:00:00.000Z',
      dry_run: false,
      failures: [],
    })
    expect(code).toBe(0)
    expect(await receivedEvents()).toEqual([`1 ${a} stale`, `2 ${b} stale`])
  })

  it('waits for a slow receiver, and prints how long it waits', async () => {
    const a = await login('ada', 100)
    await writeFile(
      join(folder, 'quillgate.config.ts'),
      CONFIG.replace('sleep(50)', 'sleep(2_200)'),
    )
    const { code, out, err } = await run('cleanup')
    expect(err).toBe('Still waiting for receivers. Each receiver has up to 60 s.\n')
    expect([code, out]).toEqual([0, expect.stringContaining('Revoked 1 stale devices')])
    expect(await receivedEvents()).toEqual([`1 ${a} stale`])
  })

  it('reduces old addresses even if devices never become stale', async () => {
    await login('ada', 40)
    const config = CONFIG.replace(
      'receiverTimeout: 0.01',
      'receiverTimeout: 0.01, staleAfter: null',
    )
    await writeFile(join(folder, 'quillgate.config.ts'), config)
    expect((await run('cleanup')).out).toContain('reduced 2 addresses')
    const { code, out } = await run('cleanup', '--json')
    expect([code, JSON.parse(out)]).toEqual([
      0,
      { revoked: 0, reduced_addresses: 0, seen_before: null, dry_run: false, failures: [] },
    ])
  })

  it('rejects an age below one day (S20)', async () => {
    await login('ada', 1)
    for (const days of ['0', '-1', 'abc', '0.5', '']) {
      const { code, err } = await run('cleanup', `--older-than=${days}`)
      expect([code, err]).toEqual([2, expect.stringContaining('--older-than must be')])
    }
    expect((await devices.registry.listAll()).devices).toHaveLength(1)
    expect((await run('cleanup', '--older-than', '1', '--dry-run')).out).toContain('0 stale')
  })
})

describe('trusted-devices list', () => {
  it('lists the devices of all users or of one', async () => {
    const a = await login('ada', 2)
    const b = await login('grace', 1)
    const { out } = await run('list', '--json')
    const { devices: found, next_cursor } = JSON.parse(out)
    expect(found).toMatchObject([
      { uid: b, user_id: '2', name: 'test-client' },
      { uid: a, user_id: '1' },
    ])
    expect(next_cursor).toBeNull()
    const one = await run('list', '--user', '1')
    expect(one.out).toContain(`${a}  user 1  test-client`)
    expect(one.out).not.toContain(b)
    const page = await run('list', '--limit', '1')
    const cursor = /--cursor (\S+)/.exec(page.out)?.[1] ?? ''
    expect((await run('list', '--limit', '1', '--cursor', cursor)).out).toContain(a)
  })
})

describe('a device name with control characters', () => {
  it('is printed without them', async () => {
    await login('ada')
    const name = 'a\u009b31m\u0007b\u202ec\nd'
    await execute('UPDATE quillgate_device SET name = ?', [name])
    const text = await run('list')
    expect(text.out).toMatch(/ {2}a 31m b c d {2}/)
    const json = await run('list', '--json')
    for (const { out } of [text, json]) expect(out).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u)
    expect(JSON.parse(json.out).devices).toMatchObject([{ name }])
  })
})

describe('trusted-devices revoke', () => {
  it('revokes one device, or all devices of a user', async () => {
    const a = await login('ada')
    const b = await login('ada')
    const c = await login('grace')
    expect((await run('revoke', '--user', '1', '--device', a, '--dry-run')).out).toContain(
      'Would revoke 1',
    )
    expect(await receivedEvents()).toEqual([])
    expect((await run('revoke', '--user', '1', '--device', a.toUpperCase())).out).toContain(
      'Revoked 1',
    )
    expect((await run('revoke', '--user', '1', '--device', c)).out).toBe('Revoked 0 devices.\n')
    expect(
      JSON.parse((await run('revoke', '--user', '1', '--reason', 'stolen laptop', '--json')).out),
    ).toEqual({
      revoked: 1,
      dry_run: false,
      failures: [],
    })
    expect(await receivedEvents()).toEqual([`1 ${a} administrator`, `1 ${b} stolen laptop`].sort())
    expect((await devices.registry.listAll()).devices.map(({ uid }) => uid)).toEqual([c])
  })
})

describe('trusted-devices revoke by conditions', () => {
  it('revokes the same devices that list and the dry run select', async () => {
    const old = await login('ada', 80)
    await execute("UPDATE quillgate_device SET country = 'DE'")
    const [fresh, other] = [await login('ada', 10), await login('grace', 85)]
    const where = ['--country', 'DE', '--user', '1']
    expect(JSON.parse((await run('list', ...where, '--json')).out).devices).toMatchObject([
      { uid: old },
    ])
    const dry = await run('revoke', ...where, '--dry-run', '--json')
    expect(JSON.parse(dry.out)).toEqual({
      revoked: 1,
      dry_run: true,
      sample: [expect.objectContaining({ uid: old, user_id: '1' })],
      failures: [],
    })
    expect((await run('revoke', ...where, '--dry-run')).out).toContain(
      `[dry run] Would revoke 1 devices, for example:\n${old}`,
    )
    expect(await receivedEvents()).toEqual([])
    expect(await run('revoke', ...where)).toEqual({ code: 0, out: 'Revoked 1 devices.\n', err: '' })
    expect(await receivedEvents()).toEqual([`1 ${old} administrator`])
    const left = (await devices.registry.listAll()).devices.map(({ uid }) => uid)
    expect(left).toEqual([fresh, other])
    expect((await run('revoke', '--user', '1', '--user', '2')).out).toBe('Revoked 2 devices.\n')
  })

  it('revokes all devices with --everything', async () => {
    await login('ada')
    await login('grace')
    expect((await run('revoke', '--everything', '--dry-run')).out).toContain('Would revoke 2')
    expect((await run('revoke', '--everything', '--reason', 'breach')).out).toBe(
      'Revoked 2 devices.\n',
    )
    expect((await receivedEvents()).map((line) => line.split(' ')[2])).toEqual(['breach', 'breach'])
  })

  it.each([
    [['list', '--limit', '0'], /limit must be a whole number from 1 to 100/],
    [['list', '--limit', '101'], /limit must be a whole number from 1 to 100/],
    [['revoke', '--everything', '--reason', 'x'.repeat(65)], /--reason must be text of 1 to 64/],
    [['list', '--cursor', 'x'], /cursor must be/],
    [['list', '--country', 'XX'], /country: Must be a country as locate returns it/],
    [['revoke', '--everything', '--country', 'DE'], /or --everything/],
    [['revoke', '--device', 'x'], /uid: Must be a UUID/],
    [['revoke', '--everything', '--reason', ''], /--reason/],
  ])(
    'rejects %j, changes nothing, and reports the error as JSON with --json',
    async (args, message) => {
      await login('ada')
      expect(await runHere(...args)).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringMatching(message),
      })
      const { code, err, out } = await runHere(...args, '--json')
      expect([code, out, JSON.parse(err)]).toEqual([
        2,
        '',
        { error: { code: 'usage', message: expect.stringMatching(message) } },
      ])
      expect((await devices.registry.listAll()).devices).toHaveLength(1)
    },
  )

  it('exits with 1 if a user fails, and names the user', async () => {
    await login('ada')
    await login('grace')
    await execute(
      "CREATE TRIGGER no BEFORE DELETE ON quillgate_device WHEN OLD.user_id = '1' BEGIN SELECT RAISE(ABORT, 'no'); END",
    )
    const { code, out, err } = await run('revoke', '--everything', '--json')
    expect(JSON.parse(out)).toEqual({
      revoked: 1,
      dry_run: false,
      failures: [{ user_id: '1', message: expect.stringContaining('no') }],
    })
    expect([code, err]).toEqual([1, ''])
    const text = await run('revoke', '--everything')
    expect(text).toMatchObject({
      code: 1,
      out: 'Revoked 0 devices.\n',
      err: expect.stringContaining('Failed for 1 users:'),
    })
  })
})

describe('trusted-devices without a database', () => {
  it('prints the code of the error', async () => {
    await writeFile(
      join(folder, 'away.ts'),
      CONFIG.replace(/'sqlite:'.*,/, "'postgres://nobody@127.0.0.1:9/none',"),
    )
    expect(await run('list', '--config', 'away.ts', '--json')).toMatchObject({
      code: 1,
      err: expect.stringContaining('{"error":{"code":"database_unavailable"'),
    })
  })
})

describe('trusted-devices', () => {
  it.each([
    [[], /Use one of these commands: cleanup, list, revoke/],
    [['nonsense'], /Use one of/],
    [['list', 'more'], /Use one of/],
    [['list', '--nonsense'], /^There is no option --nonsense\. See --help\.$/m],
    [['list', '--usr', '1'], /^There is no option --usr\. Perhaps --user .*is meant\.$/m],
    [['cleanup', '--dryrun'], /^There is no option --dryrun\. Perhaps --dry-run is meant\.$/m],
    [['list', '--config', 'nope.ts'], /^--config: the file .*nope\.ts does not exist\.$/m],
    [['list', '--everything'], /list has no option --everything/],
    [['revoke'], /needs a condition such as --user <id>, or --everything/],
    [['constructor'], /Use one of/],
  ])('rejects %j with exit code 2', async (args, message) => {
    expect(await runHere(...args)).toMatchObject({
      code: 2,
      err: expect.stringMatching(message),
      out: '',
    })
  })

  it('prints help', async () => {
    expect(await runHere('--help')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/revoke[\s\S]*--country <name>[\s\S]*Exit codes/),
    })
  })

  it('reports what is wrong with the configuration', async () => {
    await writeFile(join(folder, 'empty.ts'), 'export const nothing = 1')
    expect(await runHere('list', '--config', 'empty.ts')).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        'must export one instance of trusted devices (the result of createTrustedDevices), but exports 0',
      ),
    })
    await writeFile(join(folder, 'config.unknown'), '')
    expect(await run('list', '--config', 'config.unknown')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Use Node 22.18 or later'),
    })
  })
})
