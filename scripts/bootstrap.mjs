// Runs before `npm start`, `npm test` and `npm run bench`: installs the dependencies when they are missing, and only then.
// Folders with dependencies of their own, named as arguments, follow the root.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

const install = (folder, ...args) =>
  spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...args], {
    cwd: folder,
    stdio: ['ignore', 2, 2], // Progress belongs on stderr: stdout is the command's own.
    shell: process.platform === 'win32',
  }).status === 0

for (const folder of [root, ...process.argv.slice(2).map((name) => join(root, name))]) {
  if (existsSync(join(folder, 'node_modules', '.package-lock.json'))) continue
  console.error(
    `Installing dependencies${folder === root ? '' : ` of ${relative(root, folder)}`} (once, up to three minutes) …`,
  )
  // Stale registry metadata in the cache makes `npm ci` fail with ETARGET; asking online again cures it.
  if (!install(folder) && !install(folder, '--prefer-online')) {
    console.error('Could not install the dependencies. Run `npm ci` to see why.')
    process.exit(1)
  }
}
