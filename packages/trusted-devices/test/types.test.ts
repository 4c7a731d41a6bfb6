import { spawnSync } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createProjectFolder } from './support/project-folder.ts'

const TSC = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc')

const PROGRAM = `
import { createQuillgate } from '@quillgate/server'
import { createTrustedDevices, type User } from '@quillgate/trusted-devices'
import { deviceCreated, deviceRevoked, suspiciousLogin } from '@quillgate/trusted-devices/signals'

declare module '@quillgate/trusted-devices' {
  interface Register {
    user: { id: number; email: string }
  }
}

const ada: User = { id: 1, email: 'ada@example.com' }
// @ts-expect-error: a user of this application has an e-mail address.
const nobody: User = { id: 1 }

const gate = createQuillgate({ secret: '', database: 'sqlite::memory:' })
export const devices = createTrustedDevices(gate, {
  users: { findById: (id: number) => ({ ...ada, id }), parseId: Number, isActive: (user) => user.email !== '' },
})
createTrustedDevices(gate, {
  // @ts-expect-error: findById gets the result of parseId.
  users: { findById: (id: number) => ({ ...ada, id }), parseId: BigInt },
})

deviceCreated.connect(({ user, device, returning }) => [user.email, device.uid, returning satisfies boolean])
deviceRevoked.connect(({ user, deviceUid, reason }) => {
  // @ts-expect-error: a deleted user has only an id.
  user.email
  return 'email' in user ? user.email : [user.id, deviceUid, reason satisfies string]
})
suspiciousLogin.connect(({ previousCountries }) => previousCountries satisfies Set<string>)
// @ts-expect-error: the name of this property is wrong.
suspiciousLogin.connect(({ previous_countries }) => previous_countries)

export async function use(context: Request): Promise<string | undefined> {
  const { tokens } = await devices.login(ada, context, { transport: 'bearer' })
  // @ts-expect-error: this transport does not exist.
  await devices.login(ada, context, { transport: 'cookies' })
  const session = await devices.authenticate(context)
  const limit: number | null = devices.getSetting('maxDevices')
  // @ts-expect-error: this setting does not exist.
  devices.getSetting('maxDevice')
  return session?.user.email ?? tokens?.access ?? String(limit) + nobody.id
}
`

let folder: string
beforeAll(async () => {
  folder = await createProjectFolder()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it('the user type is declared once and is used everywhere', { timeout: 60_000 }, async () => {
  const options = {
    module: 'nodenext',
    target: 'es2024',
    lib: ['es2024', 'dom'],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    customConditions: ['@quillgate/source'],
    allowImportingTsExtensions: true,
  }
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['program.ts'] }),
  )
  await writeFile(join(folder, 'program.ts'), PROGRAM)
  const { stdout, status } = spawnSync(process.execPath, [TSC, '-p', folder], { encoding: 'utf8' })
  expect([status, stdout]).toEqual([0, ''])
})
