import { createRequire } from 'node:module'
import type { MarkdownItConstructor } from '../grammar/markdown-it-like.ts'

/**
 * Finds the optional peer `markdown-it`, synchronously.
 *
 * @param require - loads a module by its name; by default from beside this package
 * @returns null when it is not installed
 * @throws whatever an installed but broken `markdown-it` throws
 */
export function findMarkdownIt(
  require: (name: string) => unknown = createRequire(import.meta.url),
): MarkdownItConstructor | null {
  try {
    return require('markdown-it') as MarkdownItConstructor
  } catch (error) {
    if (isNotInstalled(error)) return null
    throw error
  }
}

/** Whether the optional peer `markdown-it` is installed; does not load it. */
export function isMarkdownItInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve('markdown-it')
    return true
  } catch (error) {
    if (isNotInstalled(error)) return false
    throw error
  }
}

// A module that is missing inside markdown-it is a broken installation and must not pass for "not installed".
function isNotInstalled(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'MODULE_NOT_FOUND' &&
    error.message.includes("'markdown-it'")
  )
}
