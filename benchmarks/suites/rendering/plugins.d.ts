// These plugins of markdown-it have no types.
declare module 'markdown-it-mark' {
  const plugin: (parser: import('markdown-it').MarkdownIt) => void
  export default plugin
}
declare module 'markdown-it-sub' {
  const plugin: (parser: import('markdown-it').MarkdownIt) => void
  export default plugin
}
declare module 'markdown-it-sup' {
  const plugin: (parser: import('markdown-it').MarkdownIt) => void
  export default plugin
}
declare module 'markdown-it-footnote' {
  const plugin: (parser: import('markdown-it').MarkdownIt) => void
  export default plugin
}
declare module 'markdown-it-task-lists' {
  const plugin: (parser: import('markdown-it').MarkdownIt) => void
  export default plugin
}
