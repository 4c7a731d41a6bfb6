import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TrustedDevices } from '../options.ts'

/** What the commands need of an instance. */
export type CliDevices = Pick<
  TrustedDevices,
  'ready' | 'list' | 'listAll' | 'revoke' | 'revokeAll' | 'cleanup' | 'close'
>

/** Something in the configuration or in what it names is wrong; the message says what to do. */
export class CliError extends Error {
  override name = 'CliError'
}

const DEFAULT_CONFIGS = ['quillgate.config.ts', 'quillgate.config.js', 'quillgate.config.mjs']

/**
 * Imports the application's configuration, so that its receivers run, and finds the instance among its exports.
 *
 * @param path path of the file; null: the first of `quillgate.config.{ts,js,mjs}` in `folder`
 * @throws CliError when there is no such file, or not exactly one instance in it
 */
export async function loadDevices(path: string | null, folder: string): Promise<CliDevices> {
  const file = await findConfig(path, folder)
  const exports = await importModule(file)
  const instances = new Set(Object.values(exports).filter(isDevices))
  const [devices] = instances
  if (instances.size === 1 && devices) return devices
  const found = instances.size === 0 ? 'no trusted devices' : `${instances.size} instances of trusted devices`
  throw new CliError(`${file} exports ${found}. Export one that createTrustedDevices made.`)
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
  throw new CliError(`There is no ${names.join(' or ')} in ${folder}. Name it with --config.`)
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file)
    return true
  } catch {
    return false
  }
}

function isDevices(value: unknown): value is CliDevices {
  if (typeof value !== 'object' || value === null) return false
  const { cleanup, listAll, revokeAll, signals } = value as Record<string, unknown>
  return [cleanup, listAll, revokeAll].every((method) => typeof method === 'function') && typeof signals === 'object'
}
