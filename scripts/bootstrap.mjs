// Runs before `npm start` and `npm test`: installs the dependencies when they are missing, and only then.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

const install = (...args) =>
  spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...args], {
    cwd: root,
    stdio: ['ignore', 2, 2], // Progress belongs on stderr: stdout is the command's own.
    shell: process.platform === 'win32',
  }).status === 0

if (!existsSync(join(root, 'node_modules', '.package-lock.json'))) {
  console.error('Installing dependencies (once) …')
  // Stale registry metadata in the cache makes `npm ci` fail with ETARGET; asking online again cures it.
  if (!install() && !install('--prefer-online')) {
    console.error('Could not install the dependencies. Run `npm ci` to see why.')
    process.exit(1)
  }
}
