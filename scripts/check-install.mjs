// Checks that npm can resolve Quillgate's packages together with other packages: `node
// scripts/check-install.mjs [package …]`. The script queries the registry, so `npm run check`
// does not run it. Also run the script with the oldest supported Node, because its npm prefers
// older versions of other packages (docs/decisions/0028).
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const LIMIT_S = 60
const HEAP_MB = 1500
const packages = globSync('*/package.json', {
  cwd: join(import.meta.dirname, '..', 'packages'),
}).map(dirname)
const beside =
  process.argv.length > 2
    ? process.argv.slice(2)
    : 'express sharp better-sqlite3 kysely drizzle-orm pg'.split(' ')

/**
 * Creates a tarball that contains only the manifest, because npm needs only the manifest to resolve
 * dependencies.
 */
function pack(name, folder) {
  const { exports, bin, files, ...manifest } = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', 'packages', name, 'package.json'), 'utf8'),
  )
  mkdirSync(join(folder, name, 'package'), { recursive: true })
  writeFileSync(join(folder, name, 'package', 'package.json'), JSON.stringify(manifest))
  execFileSync('tar', ['-czf', join(folder, `${name}.tgz`), '-C', join(folder, name), 'package'])
  return `./${name}.tgz`
}

const folder = mkdtempSync(join(tmpdir(), 'quillgate-install-'))
try {
  const specs = [...packages.map((name) => pack(name, folder)), ...beside]
  const started = performance.now()
  const { status, stderr } = spawnSync(
    'npm',
    ['install', '--package-lock-only', '--loglevel=error', ...specs],
    {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` },
      timeout: LIMIT_S * 1000,
      killSignal: 'SIGKILL',
    },
  )
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const npm = execFileSync('npm', ['--version'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
  console.log(
    `Node ${process.versions.node}, npm ${npm}: ${beside.join(', ')}: ${status === 0 ? 'resolved' : 'NOT resolved'} in ${seconds} s`,
  )
  if (status !== 0) {
    console.error(stderr || `npm did not end within ${LIMIT_S} s and ${HEAP_MB} MB.`)
    process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
