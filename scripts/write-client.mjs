// What the build-client.mjs of the packages share: their arguments, the folder that they fill, and its manifest.json, which
// holds the media types of the files, and a hash over all of them. The hash is part of their URLs.
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'

/** The oldest browsers that the clients run in. */
export const BROWSERS = ['es2023', 'chrome123', 'firefox121', 'safari17.5']

const TYPES = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.map': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { sizes: { type: 'boolean' } } })

/** Tells what a file weighs, if the arguments ask for it. */
export const tellSize = (name, bytes) => {
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
    if (/\.(?:js|css)$/.test(name)) tellSize(name, bytes)
  }
  return { hash: hash.digest('hex').slice(0, 16), files }
}

/**
 * Writes a client into the folder that the arguments name, or dist/client-assets of the package. It is built beside that
 * and moved in one step, so that a server never sees half of it.
 */
export const writeClient = async (packageFolder, build) => {
  const target = resolve(positionals[0] ?? join(packageFolder, 'dist/client-assets'))
  const fresh = `${target}.${process.pid}`
  try {
    await mkdir(fresh, { recursive: true })
    await build(fresh)
    await writeFile(join(fresh, 'manifest.json'), `${JSON.stringify(await describe(fresh), null, 2)}\n`)
    await rm(target, { recursive: true, force: true })
    await rename(fresh, target)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}
