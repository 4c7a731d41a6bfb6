// Shared code of the build-client.mjs files of the packages. Parses the arguments, and writes the
// output folder with its manifest.json. The manifest contains the media types of the files and one
// hash of all files. The hash is part of their URLs.
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'

const TYPES = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sizes: { type: 'boolean' } },
})

export const tellSize = (name, bytes) => {
  if (!values.sizes) return
  console.log(`${name}  ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} gzipped`)
}

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
 * Returns whether a folder can be replaced: it is missing, is empty, or contains a manifest that
 * this script wrote.
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

/** If the move fails, restores the old name. */
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
 * Writes a client into the folder that the first argument names, by default `dist/client-assets` of
 * the package. Rejects a folder that contains files but no manifest. Builds the client in another
 * folder first, so that a server never reads an incomplete client.
 */
export const writeClient = async (packageFolder, build) => {
  const target = resolve(positionals[0] ?? join(packageFolder, 'dist/client-assets'))
  if (!(await isReplaceable(target))) {
    throw new Error(
      `${target} contains files, but no manifest.json of a client. Name a new or an empty folder.`,
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
