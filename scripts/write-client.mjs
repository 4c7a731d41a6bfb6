// Shared code of the build-client.mjs files of the packages: their arguments, the output folder,
// and its manifest.json. The manifest contains the media types of the files, and a hash over all of
// them, which is part of their URLs.
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'

/**
 * The oldest browsers that the clients support. `URL.parse` is the newest API that they use without
 * a fallback.
 */
export const BROWSERS = ['es2023', 'chrome126', 'firefox126', 'safari18']

const TYPES = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sizes: { type: 'boolean' } },
})

/** Prints the size of a file, if the arguments ask for it. */
export const tellSize = (name, bytes) => {
  if (!values.sizes) return
  console.log(`${name}  ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} gzipped`)
}

/** Returns the hash over all files, and the media type of each. */
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
 * Whether a folder can be replaced: it does not exist, is empty, or contains a manifest of ours.
 */
const isReplaceable = async (folder) => {
  const names = await readdir(folder).catch((error) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  if (names.length === 0) return true
  try {
    const { hash, files } = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'))
    return /^[0-9a-f]{16}$/.test(hash) && typeof files === 'object'
  } catch {
    return false
  }
}

/**
 * Moves the new folder to the target. Moves the existing target aside first, and restores it if
 * that fails.
 */
const replace = async (target, fresh) => {
  const old = `${fresh}.old`
  const had = await rename(target, old).then(
    () => true,
    (error) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )
  try {
    await rename(fresh, target)
  } catch (error) {
    if (had) await rename(old, target)
    throw error
  }
  await rm(old, { recursive: true, force: true })
}

/**
 * Writes a client into the folder that the arguments name, or into dist/client-assets of the
 * package. Rejects a folder with files but without a manifest. Builds the client in another folder
 * and moves it as a whole, so that a server never sees half of it.
 */
export const writeClient = async (packageFolder, build) => {
  const target = resolve(positionals[0] ?? join(packageFolder, 'dist/client-assets'))
  if (!(await isReplaceable(target))) {
    throw new Error(
      `${target} has files and no manifest.json of a client: name a new or an empty folder.`,
    )
  }
  const fresh = `${target}.${process.pid}`
  try {
    await mkdir(fresh, { recursive: true })
    await build(fresh)
    await writeFile(
      join(fresh, 'manifest.json'),
      `${JSON.stringify(await describe(fresh), null, 2)}\n`,
    )
    await replace(target, fresh)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}
