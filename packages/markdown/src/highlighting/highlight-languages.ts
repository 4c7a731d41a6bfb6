/**
 * The default of the option `highlightLanguages`, as names of highlight.js. The list includes
 * languages that occur inside other languages (CSS and JavaScript in XML, GraphQL in JavaScript).
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
