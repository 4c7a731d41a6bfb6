import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  createHighlighter,
  type Highlight,
  type HighlightJs,
  type LanguageDefinition,
} from '../highlighting/highlighter.ts'
import { peerRequire } from './peers.ts'

type Require = Pick<NodeJS.Require, 'resolve'> & ((name: string) => unknown)

/**
 * Finds the optional peer `highlight.js`, and loads it when code is highlighted for the first time.
 *
 * @param languages - names of highlight.js languages, such as `javascript` or `xml`, not aliases
 * @returns null if `highlight.js` is not installed
 * @throws TypeError for an unknown language; the message lists the known languages
 */
export function findHighlighter(
  languages: readonly string[],
  require: Require = peerRequire(),
): Highlight | null {
  const core = 'highlight.js/lib/core'
  const known = languagesBeside(core, require)
  if (known === null) return null
  const unknown = languages.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new TypeError(
      `highlightLanguages: highlight.js has no language ${JSON.stringify(unknown)}. Use one of ` +
        `these names instead of an alias (xml instead of html): ${known.join(', ')}.`,
    )
  }
  const load = (): Highlight => {
    const highlightJs = require(core) as HighlightJs
    const definitions = languages.map((name) => [
      name,
      require(`highlight.js/lib/languages/${name}`) as LanguageDefinition,
    ])
    return createHighlighter(highlightJs, Object.fromEntries(definitions))
  }
  let highlight: Highlight | undefined
  return (code, language) => {
    highlight ??= load()
    return highlight(code, language)
  }
}

function languagesBeside(core: string, require: Require): string[] | null {
  try {
    const folder = join(dirname(require.resolve(core)), 'languages')
    return readdirSync(folder).flatMap((file) => /^([\w-]+)\.js$/.exec(file)?.[1] ?? [])
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null
    throw error
  }
}
