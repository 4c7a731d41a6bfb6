// Runs before `npm start`, `npm test` and `npm run bench`. Installs missing dependencies, of the
// root and of the folders that are named as arguments.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

const install = (folder, ...args) =>
  spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...args], {
    cwd: folder,
    stdio: ['ignore', 2, 2], // Progress goes to stderr, because stdout belongs to the command.
    shell: process.platform === 'win32',
  }).status === 0

for (const folder of [root, ...process.argv.slice(2).map((name) => join(root, name))]) {
  if (existsSync(join(folder, 'node_modules', '.package-lock.json'))) continue
  console.error(
    `Installing dependencies${folder === root ? '' : ` of ${relative(root, folder)}`} (once, up to three minutes) …`,
  )
  // Stale registry metadata in the cache makes `npm ci` fail with ETARGET. A second, online request
  // fixes it.
  if (!install(folder) && !install(folder, '--prefer-online')) {
    console.error('Could not install the dependencies. Run `npm ci` to see why.')
    process.exit(1)
  }
}
