import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..', '..', '..')
const folder = join(root, '.vitest', 'next-types') // In the repository, so that imports resolve.
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const MODULE = `import type { Quillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/next'
declare const gate: Quillgate
export const handlers = mount(gate)
`

const TSCONFIG = {
  extends: '../../tsconfig.base.json',
  compilerOptions: {
    composite: false,
    declaration: true,
    noEmit: true,
    rewriteRelativeImportExtensions: false,
    allowImportingTsExtensions: true,
    types: ['node'],
  },
  include: ['*.ts'],
}

it('lets an application with declarations export the handlers of Next', async () => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'quillgate.ts'), MODULE)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const compile = promisify(execFile)(process.execPath, [tsc, '-p', folder, '--pretty', 'false'])
  await expect(compile).resolves.toMatchObject({ stdout: '' })
}, 60_000)
