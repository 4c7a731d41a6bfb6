import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CliError, UsageError } from './errors.ts'

/** The kind of instance that a command line looks for in the configuration. */
export interface InstanceKind<Instance> {
  /** For example `markdown editor`. */
  readonly noun: string
  /** The function that makes one, for example `createMarkdownEditor`. */
  readonly factory: string
  is(value: unknown): value is Instance
}

const DEFAULT_CONFIGS = ['quillgate.config.ts', 'quillgate.config.js', 'quillgate.config.mjs']

/** The exports of the application's configuration. */
export interface Configuration {
  /** Path of the file. */
  readonly file: string
  readonly exports: Readonly<Record<string, unknown>>
}

/**
 * Imports the application's configuration, so that its hooks and receivers run.
 *
 * @param path path of the file; null: the first of `quillgate.config.{ts,js,mjs}` in `folder`
 * @throws CliError if no file was found, UsageError if there is no file at `path`
 */
export async function loadConfiguration(
  path: string | null,
  folder: string,
): Promise<Configuration> {
  const file = await findConfig(path, folder)
  return { file, exports: await importModule(file) }
}

/**
 * Finds the instance among the exports of a configuration.
 *
 * @throws CliError when there is not exactly one
 */
export function findInstance<Instance>(
  { file, exports }: Configuration,
  kind: InstanceKind<Instance>,
): Instance {
  const instances = new Set(Object.values(exports).filter((value) => kind.is(value)))
  const [instance] = instances
  if (instances.size === 1 && instance) return instance
  const found = instances.size === 0 ? `no ${kind.noun}` : `${instances.size} of them`
  throw new CliError(`${file} exports ${found}. Export one that ${kind.factory} made.`)
}

/**
 * Finds what a configuration exports under a name.
 *
 * @throws CliError when there is nothing of this kind, with the names that there are
 */
export function findExport<Instance>(
  { file, exports }: Configuration,
  name: string,
  kind: InstanceKind<Instance>,
): Instance {
  const value = Object.hasOwn(exports, name) ? exports[name] : undefined
  if (kind.is(value)) return value
  const names = Object.keys(exports).filter((other) => kind.is(exports[other]))
  const others =
    names.length === 0 ? `Export one that ${kind.factory} made.` : `There is ${names.join(', ')}.`
  throw new CliError(`${file} exports no ${kind.noun} under the name ${name}. ${others}`)
}

/**
 * Imports the application's configuration and finds the instance among its exports.
 *
 * @throws CliError as {@link loadConfiguration} and {@link findInstance}
 */
export async function loadInstance<Instance>(
  path: string | null,
  folder: string,
  kind: InstanceKind<Instance>,
): Promise<Instance> {
  return findInstance(await loadConfiguration(path, folder), kind)
}

async function importModule(file: string): Promise<Record<string, unknown>> {
  try {
    return await import(pathToFileURL(file).href)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error
    throw new CliError(`Node ${process.version} cannot read ${file}. Use Node 22.18 or later.`)
  }
}

async function findConfig(path: string | null, folder: string): Promise<string> {
  const names = path === null ? DEFAULT_CONFIGS : [path]
  for (const name of names) {
    const file = resolve(folder, name)
    if (await exists(file)) return file
  }
  if (path !== null)
    throw new UsageError(`There is no ${resolve(folder, path)}, which --config names.`)
  throw new CliError(
    `There is no ${names.join(' or ')} in ${folder}. Make one that exports your instance, or name yours with --config.`,
  )
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file)
    return true
  } catch {
    return false
  }
}
