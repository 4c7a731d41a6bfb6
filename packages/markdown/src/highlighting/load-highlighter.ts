import type { DefaultHighlightLanguage } from './highlight-languages.ts'
import { createHighlighter, type Highlight, type LanguageDefinition } from './highlighter.ts'

type LanguageModule = { readonly default: LanguageDefinition }

// Each import is written out, so that bundlers create a file for each language.
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

// Other names of the languages.
const ALIASES: Readonly<Partial<Record<DefaultHighlightLanguage, string>>> = {
  bash: 'sh zsh',
  c: 'h',
  cpp: 'cc c++ h++ hpp hh hxx cxx',
  csharp: 'cs c#',
  diff: 'patch',
  go: 'golang',
  graphql: 'gql',
  java: 'jsp',
  javascript: 'js jsx mjs cjs',
  json: 'jsonc json5',
  kotlin: 'kt kts ktm ktx',
  markdown: 'md mkdown mkd',
  python: 'py gyp ipython',
  ruby: 'rb gemspec podspec thor irb',
  rust: 'rs',
  typescript: 'ts tsx mts cts',
  xml: 'html xhtml rss atom xjb xsd xsl plist wsf svg',
  yaml: 'yml',
}

// The languages that may occur inside another language.
const PARTS: Readonly<Partial<Record<DefaultHighlightLanguage, string>>> = {
  javascript: 'css graphql xml',
  markdown: 'xml',
  typescript: 'css graphql xml',
  xml: 'css javascript',
  yaml: 'ruby',
}

const NAMES: ReadonlyMap<string, DefaultHighlightLanguage> = new Map(
  Object.keys(MODULES)
    .filter(isDefault)
    .flatMap((name) => [name, ...(ALIASES[name]?.split(' ') ?? [])].map((alias) => [alias, name])),
)

/**
 * Returns the languages to load for code blocks, including languages that occur inside them.
 *
 * @param words - the first words of info strings, as written: `js`, `C++`, `language-html`
 * @param languages - the languages that may be loaded
 */
export function languagesFor(words: Iterable<string>, languages: readonly string[]): Set<string> {
  const found = new Set<string>()
  const add = (name: DefaultHighlightLanguage | undefined): void => {
    if (name === undefined || found.has(name) || !languages.includes(name)) return
    found.add(name)
    for (const part of PARTS[name]?.split(' ') ?? []) add(NAMES.get(part))
  }
  for (const word of words) {
    // A word with escapes or character references may mean any language.
    if (/[\\&]/.test(word)) return new Set(languages)
    add(NAMES.get(word.toLowerCase().replace(/^lang(?:uage)?-/, '')))
  }
  return found
}

/**
 * Loads highlight.js and languages in a browser. For the same languages, the HTML is the same as
 * that of `findHighlighter` on Node.
 *
 * @param languages - names of languages; those outside the default list are ignored
 * @returns null if there is nothing to load; the promise rejects if `import()` fails
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
