// Bundles what browsers load: `node scripts/build-client.mjs [folder] [--sizes]`, into dist/client-assets unless a folder
// is named. With --sizes it tells what each file weighs, and what the token client adds to an application's bundle.
//
// manifest.json holds the media types of the files, and a hash over all of them, which is part of their URLs.
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, extname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const packageFolder = join(dirname(fileURLToPath(import.meta.url)), '..')
const { values, positionals } = parseArgs({ allowPositionals: true, options: { sizes: { type: 'boolean' } } })
const target = resolve(positionals[0] ?? join(packageFolder, 'dist/client-assets'))

const TYPES = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.map': 'application/json',
}

const bundle = (entryPoints, options) =>
  build({
    absWorkingDir: packageFolder,
    entryPoints,
    bundle: true,
    format: 'esm',
    target: ['es2023', 'chrome123', 'firefox121', 'safari17.5'],
    minify: true,
    conditions: ['@quillgate/source'],
    logLevel: 'warning',
    ...options,
  })

const tell = (name, bytes) => {
  if (!values.sizes) return
  console.log(`${name}  ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} gzipped`)
}

/** The hash over all files, and the media type of each. */
const describe = async (folder) => {
  const hash = createHash('sha256')
  const files = {}
  for (const name of (await readdir(folder)).sort()) {
    const bytes = await readFile(join(folder, name))
    hash.update(`${name}\0${bytes.length}\0`).update(bytes)
    files[name] = TYPES[extname(name)]
    if (!name.endsWith('.map')) tell(name, bytes)
  }
  return { hash: hash.digest('hex').slice(0, 16), files }
}

// Built beside the target and moved in one step, so that a server never sees half of it.
const fresh = `${target}.${process.pid}`
try {
  await mkdir(fresh, { recursive: true })
  const entries = [
    { in: 'src/client/define.ts', out: 'trusted-devices' },
    { in: 'src/client/trusted-devices.css', out: 'trusted-devices' },
  ]
  await bundle(entries, { outdir: fresh, splitting: true, chunkNames: '[name]-[hash]', sourcemap: 'linked' })
  const manifest = await describe(fresh)
  await writeFile(join(fresh, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await rm(target, { recursive: true, force: true })
  await rename(fresh, target)
} finally {
  await rm(fresh, { recursive: true, force: true })
}
if (values.sizes) {
  const { outputFiles } = await bundle(['src/client/token-client/index.ts'], { write: false })
  for (const { contents } of outputFiles) tell('token-client (bundled by the application)', contents)
}
