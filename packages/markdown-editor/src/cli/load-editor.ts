import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { MarkdownEditor } from '../markdown-editor.ts'

/** What the commands need of an editor. */
export type CliEditor = Pick<MarkdownEditor, 'sweep' | 'check' | 'references' | 'records' | 'close'>

/** Something in the command line or the configuration is wrong; the message says what to do. */
export class CliError extends Error {
  override name = 'CliError'
}

const DEFAULT_CONFIGS = ['quillgate.config.ts', 'quillgate.config.js', 'quillgate.config.mjs']

/**
 * Imports the application's configuration, so that its hooks run, and finds the editor among its exports.
 *
 * @param path path of the file; null: the first of `quillgate.config.{ts,js,mjs}` in `folder`
 * @throws CliError when there is no such file, or not exactly one editor in it
 */
export async function loadEditor(path: string | null, folder: string): Promise<CliEditor> {
  const file = await findConfig(path, folder)
  const exports = await importModule(file)
  const editors = new Set(Object.values(exports).filter(isEditor))
  const [editor] = editors
  if (editors.size === 1 && editor) return editor
  const found = editors.size === 0 ? 'no markdown editor' : `${editors.size} markdown editors`
  throw new CliError(`${file} exports ${found}. Export one that createMarkdownEditor made.`)
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

function isEditor(value: unknown): value is CliEditor {
  if (typeof value !== 'object' || value === null) return false
  const { sweep, check, references, widget } = value as Record<string, unknown>
  return [sweep, check, widget].every((method) => typeof method === 'function') && typeof references === 'object'
}
