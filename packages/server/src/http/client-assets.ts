import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { serverError } from '../core/errors.ts'
import type { Endpoint } from './endpoint.ts'

/** The JavaScript and CSS files of a component. */
export type ClientAssets = ReturnType<typeof clientAssetsIn>

// The name of a script that pages load on demand contains a hash of its content. The script is also
// served at the URLs of other builds, because an open page may still use an earlier build.
const CONTENT_NAME = /-[a-z0-9]{8}\.js$/i

// The content security policy of worker scripts. The policy of the page does not apply to workers.
const POLICY = "default-src 'none'; script-src 'self'"

/**
 * Reads the built client files of a package on first use. The path is computed at run time, so that
 * bundlers do not try to resolve it. If a bundler has moved the code, Node resolves the package
 * from the working directory.
 *
 * @param packageName a package that exports its folder `client-assets`
 * @param importer `import.meta.url` of the module that needs the client
 */
export function createClientAssets(packageName: string, importer: string): ClientAssets {
  return clientAssetsIn(() => {
    const { createRequire } = process.getBuiltinModule('node:module')
    const manifest = `${packageName}/client-assets/manifest.json`
    try {
      return dirname(createRequire(importer).resolve(manifest))
    } catch {
      return dirname(createRequire(join(process.cwd(), 'package.json')).resolve(manifest))
    }
  }, packageName)
}

/** Reads built client files from a folder. @param find returns the folder with `manifest.json` */
export function clientAssetsIn(find: () => string, packageName: string) {
  let build: ReturnType<typeof readBuild> | undefined
  const load = () => {
    try {
      build ??= readBuild(find())
      return build
    } catch (cause) {
      const detail =
        `The browser files of ${packageName} are missing. If you bundle the server, keep this package ` +
        'in node_modules. In a clone, run "npm run build".'
      throw serverError('client_not_built', detail, { cause })
    }
  }
  return {
    /**
     * Returns the URL path of the files, including a hash of the build. If the build is missing,
     * requests for the returned path fail with `client_not_built`.
     */
    base(prefix: string): string {
      try {
        return `${prefix}${load().hash}/`
      } catch {
        return `${prefix}not-built/`
      }
    },
    /** Returns the route `GET <prefix>{hash}/{name}`. Caches may store responses forever. */
    route: (prefix: string): Endpoint => ({
      method: 'GET',
      path: `${prefix}:hash/:name`,
      isStatic: true,
      async respond(_context, { hash = '', name = '' }) {
        const { files, hash: ours } = load()
        const file = files.get(name)
        if (!file || (hash !== ours && !CONTENT_NAME.test(name)))
          throw serverError('not_found', 'This build of the client has no such file.')
        const headers = {
          'content-type': file.type,
          'content-length': String(file.bytes.byteLength),
          'cache-control': 'public, max-age=31536000, immutable',
          'x-content-type-options': 'nosniff',
          'content-security-policy': POLICY,
        }
        return new Response(file.bytes, { headers })
      },
    }),
  }
}

function readBuild(folder: string) {
  const text = readFileSync(join(folder, 'manifest.json'), 'utf8')
  const { hash, files } = JSON.parse(text) as { hash: string; files: Record<string, string> }
  const read = ([name, type]: readonly [string, string]) =>
    [name, { type, bytes: new Uint8Array(readFileSync(join(folder, name))) }] as const
  return { hash, files: new Map(Object.entries(files).map(read)) }
}
