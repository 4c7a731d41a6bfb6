import { spawn } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '@quillgate/server/database'
import { createFakeClock, createMemoryUsers } from '@quillgate/trusted-devices/testing'
import { afterEach, beforeEach, vi } from 'vitest'
import { runCli } from '../../src/cli/run.ts'
import { BearerClient } from '../support/client.ts'
import { createDevices, type TestDevices } from '../support/create-devices.ts'
import { SECRET } from '../support/house.ts'
import { createProjectFolder } from '../support/project-folder.ts'

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const NOW = Date.UTC(2026, 6, 1)
const DAY = 86_400_000

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
  clock: () => ${NOW},
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

interface Result {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Creates an application in a new folder for each test, with the users ada and grace. */
export function useApplication() {
  vi.setConfig({ testTimeout: 120_000 }) // Each command is a separate process.
  const clock = createFakeClock()
  let folder: string
  let devices: TestDevices
  const url = () => `sqlite:${join(folder, 'test.sqlite')}`
  const write = (file: string, text: string) => writeFile(join(folder, file), text)

  beforeEach(async () => {
    folder = await createProjectFolder()
    await write('quillgate.config.ts', CONFIG)
    await write('events.txt', '')
    devices = createDevices({
      secret: SECRET,
      database: url(),
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

  return {
    /** Writes a file into the folder. */
    write,
    /** Writes the configuration with one replacement. */
    configure: (from: string | RegExp, to: string, file = 'quillgate.config.ts') =>
      write(file, CONFIG.replace(from, to)),
    /** Signs a user in, and returns the uid of the device. */
    async login(username: string, daysAgo = 0): Promise<string> {
      clock.set(NOW - daysAgo * DAY)
      const client = new BearerClient(devices)
      await client.login(username)
      return client.uid
    },
    uids: async () => (await devices.registry.listAll()).devices.map(({ uid }) => uid),
    async execute(sql: string, values: readonly string[] = []): Promise<void> {
      const database = openDatabase(url())
      await database.executor(database.kysely).execute(sql, values)
      await database.close()
    },
    /** Runs a command in its own process. */
    run: (...args: string[]) => spawnMain(folder, args),
    /** Runs a command in this process, which is faster. */
    async runHere(...args: string[]): Promise<Result> {
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
    },
    async receivedEvents(): Promise<string[]> {
      const text = await readFile(join(folder, 'events.txt'), 'utf8')
      return text.split('\n').filter(Boolean).sort()
    },
  }
}

function spawnMain(cwd: string, args: readonly string[]): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  const child = spawn(process.execPath, ['--conditions=@quillgate/source', MAIN, ...args], { cwd })
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
