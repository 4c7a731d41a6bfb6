// Runs before `npm start`, `npm test`, `npm run docs` and `npm run bench`. Installs missing
// dependencies of the root. The arguments name further folders whose dependencies are installed.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

const install = (folder, ...args) =>
  spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...args], {
    cwd: folder,
    // npm writes to stderr, so that stdout contains only the output of the following command.
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  }).status === 0

for (const folder of [root, ...process.argv.slice(2).map((name) => join(root, name))]) {
  if (existsSync(join(folder, 'node_modules', '.package-lock.json'))) continue
  console.error(
    `Installing dependencies${folder === root ? '' : ` of ${relative(root, folder)}`} (once, up to three minutes) …`,
  )
  // Old metadata in npm's cache can make `npm ci` fail with ETARGET. The second attempt reads new
  // metadata from the registry.
  if (!install(folder) && !install(folder, '--prefer-online')) {
    console.error('Could not install the dependencies. Run `npm ci` to see why.')
    process.exit(1)
  }
}
