import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { QuillgateError } from '@quillgate/http'

/** What the build writes into `manifest.json`, beside the files. */
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

/** The files that pages load for the editor. */
export interface ClientAssets {
  /**
   * The part of their URLs that names the build: `<basePath>/assets/<hash>/`.
   *
   * @throws QuillgateError `client_not_built`
   */
  hash(): string
  /**
   * One file of this build; null for another build and for names that the build does not list. A file whose name has a
   * hash of its content is the same in every build that lists it, so pages of an earlier build get it too.
   *
   * @throws QuillgateError 500 `client_not_built`
   */
  find(hash: string, name: string): Promise<ClientAsset | null>
}

// How the build names the parts that are loaded later, and their source maps.
const CONTENT_NAME = /-[A-Z0-9]{8}\.js(?:\.map)?$/

/**
 * Reads the built client from a folder. The manifest is read when it is first needed, each file once.
 *
 * @param directory path of the folder that holds `manifest.json`
 */
export function createClientAssets(directory: string): ClientAssets {
  const assets = new Map<string, ClientAsset>()
  let manifest: Manifest | undefined

  const load = (): Manifest => {
    manifest ??= readManifest(directory)
    return manifest
  }
  const read = async (name: string, type: string): Promise<ClientAsset> => {
    try {
      return { type, bytes: new Uint8Array(await readFile(join(directory, name))) }
    } catch (cause) {
      // The client was built anew while this server runs.
      manifest = undefined
      assets.clear()
      throw notBuilt(cause)
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

function readManifest(directory: string): Manifest {
  try {
    return JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8')) as Manifest
  } catch (cause) {
    throw notBuilt(cause)
  }
}

function notBuilt(cause: unknown): QuillgateError {
  const detail = 'The client of the markdown editor is not built: run "npm run build".'
  return new QuillgateError('client_not_built', 500, detail, { cause })
}
