import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { MarkdownItConstructor } from '../grammar/markdown-it-like.ts'

/** Loads the optional peer `markdown-it`. If it is not installed, returns null. */
export function findMarkdownIt(
  require: (name: string) => unknown = peerRequire(),
): MarkdownItConstructor | null {
  return ifInstalled(() => require('markdown-it') as MarkdownItConstructor)
}

/** Returns true if the optional peer `markdown-it` is installed. Does not load it. */
export function isMarkdownItInstalled(): boolean {
  return ifInstalled(() => peerRequire().resolve('markdown-it')) !== null
}

function ifInstalled<Found>(find: () => Found): Found | null {
  try {
    return find()
  } catch (error) {
    if (isNotInstalled(error)) return null
    throw error
  }
}

// Returns false if a module inside markdown-it is missing, because the installation is then broken.
function isNotInstalled(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'MODULE_NOT_FOUND' &&
    error.message.includes("'markdown-it'")
  )
}

/** Returns the `require` function that resolves optional peers relative to this package. */
export function peerRequire(): NodeJS.Require {
  // In CommonJS bundles, which have no `import.meta.url`, resolves from the working directory.
  const url: string | undefined = import.meta.url
  return createRequire(url ?? join(process.cwd(), 'package.json'))
}
