import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CliError, UsageError } from './program.ts'

/** A kind of instance that a configuration can export. */
export interface InstanceKind<Instance> {
  /** The name of the kind for messages, for example `markdown editor`. */
  readonly noun: string
  /** The function that creates an instance, for example `createMarkdownEditor`. */
  readonly factory: string
  is(value: unknown): value is Instance
}

/** The exports of the application's configuration. */
export type Configuration = Awaited<ReturnType<typeof loadConfiguration>>

const DEFAULT_FILES = ['quillgate.config.ts', 'quillgate.config.js', 'quillgate.config.mjs']

/**
 * Imports the application's configuration. Hooks and signal receivers that the file registers are
 * then active in this process.
 *
 * @param path null for the first of `quillgate.config.{ts,js,mjs}` that exists in `folder`
 * @throws UsageError if `path` does not exist; CliError if there is no file, or Node is too old
 */
export async function loadConfiguration(path: string | null, folder: string) {
  const file = findFile(path, folder)
  const exports = await importModule(file)
  return {
    /** Returns the only export of a kind. @throws CliError unless there is exactly one */
    find<Instance>(kind: InstanceKind<Instance>): Instance {
      const instances = new Set(Object.values(exports).filter((value) => kind.is(value)))
      const [instance] = instances
      if (instances.size === 1 && instance) return instance
      const wanted = `one ${kind.noun} (the result of ${kind.factory})`
      throw new CliError(`${file} must export ${wanted}, but exports ${instances.size}.`)
    },
    /** Returns an export by its name. @throws CliError if it is missing or of another kind */
    get<Instance>(name: string, kind: InstanceKind<Instance>): Instance {
      const value = Object.hasOwn(exports, name) ? exports[name] : undefined
      if (kind.is(value)) return value
      throw new CliError(`${file} must export a ${kind.noun} with the name ${name}.`)
    },
  }
}

async function importModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(file).href)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error
    throw new CliError(`Node ${process.version} cannot read ${file}. Use Node 22.18 or later.`)
  }
}

function findFile(path: string | null, folder: string): string {
  const names = path === null ? DEFAULT_FILES : [path]
  const file = names.map((name) => resolve(folder, name)).find((candidate) => existsSync(candidate))
  if (file !== undefined) return file
  if (path !== null)
    throw new UsageError(`--config: the file ${resolve(folder, path)} does not exist.`)
  throw new CliError(
    `There is no ${names.join(' or ')} in ${folder}. Create one and export your instance, or pass the path of another file with --config.`,
  )
}
