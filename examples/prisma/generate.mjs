// Generates the clients from their schemas. Does not download the engine that Prisma uses for
// migrations.
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'

const cwd = import.meta.dirname
const cli = join(cwd, 'node_modules', 'prisma', 'build', 'index.js')
const env = {
  ...process.env,
  PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
  PRISMA_HIDE_UPDATE_MESSAGE: '1',
}

for (const schema of globSync('{.,contract}/*.prisma', { cwd })) {
  const args = [cli, 'generate', '--no-hints', '--schema', schema]
  const { status } = spawnSync(process.execPath, args, {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) process.exit(1)
}
