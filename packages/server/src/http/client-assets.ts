import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isQuillgateError, type QuillgateError, serverError } from '../core/errors.ts'
import type { Route } from './endpoint.ts'

/** The `manifest.json` that the build writes. */
interface Manifest {
  /** Names this build in URLs; another build has another. */
  readonly hash: string
  /** Media type of each file by its name. */
  readonly files: Readonly<Record<string, string>>
}

/** A file of the client. */
export interface ClientAsset {
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The files that pages load for a component. */
export interface ClientAssets {
  /**
   * The part of their URLs that names the build: `<basePath>/assets/<hash>/`.
   *
   * @throws QuillgateError `client_not_built`
   */
  hash(): string
  /**
   * One file of this build; null for another build and for names that the build does not list. A
   * file whose name has a hash of its content is the same in every build that lists it, so pages of
   * an earlier build get it too.
   *
   * @throws QuillgateError 500 `client_not_built`
   */
  find(hash: string, name: string): Promise<ClientAsset | null>
}

// Names of parts that are loaded later.
const CONTENT_NAME = /-[a-z0-9]{8}\.js$/i

/**
 * Returns the function that finds the built client of a package. A bundler sees no path in it that
 * it would look for. If it moves the code elsewhere, the package is found from the working folder.
 *
 * @param packageName of the package, which exports its `client-assets` folder
 * @param importer URL of the module that needs it: `import.meta.url`
 */
export function findClient(packageName: string, importer: string): () => string {
  const manifest = `${packageName}/client-assets/manifest.json`
  return () => {
    const { createRequire } = process.getBuiltinModule('node:module')
    try {
      return dirname(createRequire(importer).resolve(manifest))
    } catch {
      return dirname(createRequire(join(process.cwd(), 'package.json')).resolve(manifest))
    }
  }
}

/**
 * Reads the built client from a folder. The manifest is read when it is first needed, each file
 * once.
 *
 * @param find returns the path of the folder that holds `manifest.json`
 * @param component what the files belong to, for the message when they are missing: `the markdown
 * editor`
 */
export function createClientAssets(find: () => string, component: string): ClientAssets {
  const assets = new Map<string, ClientAsset>()
  let manifest: Manifest | undefined

  const load = (): Manifest => {
    manifest ??= readManifest(find, component)
    return manifest
  }
  const read = async (name: string, type: string): Promise<ClientAsset> => {
    try {
      return { type, bytes: new Uint8Array(await readFile(join(find(), name))) }
    } catch (cause) {
      // The client was built again while this server runs.
      manifest = undefined
      assets.clear()
      throw notBuilt(component, cause)
    }
  }

  return {
    hash: () => load().hash,
    async find(hash, name) {
      const { files, hash: ours } = load()
      const type = Object.hasOwn(files, name) ? files[name] : undefined
      if (type === undefined || (hash !== ours && !CONTENT_NAME.test(name))) return null
      const asset = assets.get(name) ?? (await read(name, type))
      assets.set(name, asset)
      return asset
    },
  }
}

function readManifest(find: () => string, component: string): Manifest {
  try {
    return JSON.parse(readFileSync(join(find(), 'manifest.json'), 'utf8')) as Manifest
  } catch (cause) {
    throw notBuilt(component, cause)
  }
}

function notBuilt(component: string, cause: unknown): QuillgateError {
  const detail = `The client of ${component} is not built: run "npm run build".`
  return serverError('client_not_built', detail, { cause })
}

// For Workers, which have the policy of their own script, and not that of the page.
const POLICY = "default-src 'none'; script-src 'self'"

/**
 * Returns the route `GET <prefix>{hash}/{name}` of the files of the client. Caches keep the answers
 * forever, because the URL changes with the content.
 *
 * @param prefix path of the files, for example `/md-editor/assets/`
 */
export function assetRoute(assets: ClientAssets, prefix: string): Route {
  return {
    method: 'GET',
    path: `${prefix}*`,
    isStatic: true,
    async respond({ request }) {
      const [hash = '', name = '', ...more] = new URL(request.url).pathname
        .slice(prefix.length)
        .split('/')
      const asset = more.length === 0 ? await assets.find(hash, name) : null
      if (!asset) throw serverError('not_found', 'This build of the client has no such file.')
      const headers = {
        'content-type': asset.type,
        'content-length': String(asset.bytes.byteLength),
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-security-policy': POLICY,
      }
      return new Response(request.method === 'HEAD' ? null : asset.bytes, { headers })
    },
  }
}

/**
 * The hash for URLs on pages. Without a built client the URL leads to an answer that says what to
 * do.
 */
export function assetHash(assets: ClientAssets): string {
  try {
    return assets.hash()
  } catch (error) {
    if (isQuillgateError(error) && error.code === 'client_not_built') return 'not-built'
    throw error
  }
}
