import type { DefaultHighlightLanguage } from './highlight-languages.ts'
import { createHighlighter, type Highlight, type LanguageDefinition } from './highlighter.ts'

type LanguageModule = { readonly default: LanguageDefinition }

// The path of each import is a literal, so that bundlers create a file for each language.
const MODULES: Readonly<Record<DefaultHighlightLanguage, () => Promise<LanguageModule>>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  go: () => import('highlight.js/lib/languages/go'),
  graphql: () => import('highlight.js/lib/languages/graphql'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  php: () => import('highlight.js/lib/languages/php'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
}

/**
 * Loads highlight.js and languages in a browser. With the same languages, `findHighlighter` creates
 * the same HTML on Node.
 *
 * @param languages - names of languages; names that are not in the default list are ignored
 * @returns null if no language is left; the promise rejects if `import()` fails
 */
export async function loadHighlighter(languages: readonly string[]): Promise<Highlight | null> {
  const names = languages.filter(isDefault)
  if (names.length === 0) return null
  const [core, ...modules] = await Promise.all([
    import('highlight.js/lib/core'),
    ...names.map((name) => MODULES[name]()),
  ])
  return createHighlighter(
    core.default,
    Object.fromEntries(modules.map((module, index) => [names[index], module.default])),
  )
}

function isDefault(name: string): name is DefaultHighlightLanguage {
  return Object.hasOwn(MODULES, name)
}
