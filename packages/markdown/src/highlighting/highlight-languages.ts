/**
 * The languages whose code is highlighted unless the setting `highlightLanguages` says otherwise, by the names of
 * highlight.js. Those that stand inside others (CSS and JavaScript in XML, GraphQL in JavaScript) are among them.
 */
export const DEFAULT_HIGHLIGHT_LANGUAGES = [
  'bash',
  'c',
  'cpp',
  'csharp',
  'css',
  'diff',
  'go',
  'graphql',
  'java',
  'javascript',
  'json',
  'kotlin',
  'markdown',
  'php',
  'python',
  'ruby',
  'rust',
  'sql',
  'swift',
  'typescript',
  'xml',
  'yaml',
] as const

/** One of the default languages. */
export type DefaultHighlightLanguage = (typeof DEFAULT_HIGHLIGHT_LANGUAGES)[number]
