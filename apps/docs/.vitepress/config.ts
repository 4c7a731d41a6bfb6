import { cpSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type MarkdownRenderer } from 'vitepress'
import { apiReference } from './api-reference.ts'
import { sidebar } from './sidebar.ts'

const docs = fileURLToPath(new URL('..', import.meta.url))
const root = join(docs, '..', '..')

// Copies the editor for the live examples. `npm run docs` builds these files first.
cpSync(
  join(root, 'packages/markdown-editor-element/dist/client-assets'),
  join(docs, 'public/editor'),
  { recursive: true },
)

/** The URL of the repository's files, for example `https://git.example.com/quillgate/blob/main`. */
const source = process.env['DOCS_SOURCE']

/** Rewrites links to files of the repository that are not pages of the site, such as tests. */
function linkToSources(md: MarkdownRenderer): void {
  md.core.ruler.push('link-to-sources', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.attrGet('href')
      if (token.type !== 'link_open' || !href?.startsWith('../')) continue
      const file = relative(root, join(dirname(join(docs, env.relativePath)), href))
      if (file.startsWith('apps/docs/')) continue
      // Without `source`, the link becomes plain text, and its tooltip shows the path.
      token.attrs = source === undefined ? [['title', file]] : [['href', `${source}/${file}`]]
    }
  })
}

/** Prevents Vue from evaluating `{{ … }}` in inline code. */
function keepBraces(md: MarkdownRenderer): void {
  md.core.ruler.push('keep-braces', ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? []))
      if (token.type === 'code_inline') token.attrSet('v-pre', '')
  })
}

/** Replaces each block `markdown live {…}` with an editor. The JSON has options and `repeat`. */
function showEditors(md: MarkdownRenderer): void {
  const fence = md.renderer.rules.fence
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const { info = '', content = '' } = tokens[index] ?? {}
    const [, json] = /^markdown live (\{.*\})$/.exec(info) ?? []
    if (json === undefined) return fence?.(tokens, index, options, env, self) ?? ''
    const { repeat = 1, ...attributes } = JSON.parse(json)
    const values = [content.repeat(repeat), attributes].map((value) =>
      encodeURIComponent(JSON.stringify(value)),
    )
    return `<LiveEditor text="${values[0]}" options="${values[1]}" />`
  }
}

/** Replaces `<!-- api-reference -->` with the API reference, for the page and for the search. */
function showApiReference(md: MarkdownRenderer): void {
  md.core.ruler.before('normalize', 'api-reference', (state) => {
    state.src = state.src.replace('<!-- api-reference -->', apiReference)
  })
}

export default defineConfig({
  title: 'Quillgate',
  description: 'A Markdown editor and trusted devices for TypeScript servers',
  cleanUrls: true,
  lastUpdated: false,
  head: [
    ['link', { rel: 'icon', href: 'data:,' }],
    ['link', { rel: 'stylesheet', href: '/editor/markdown-editor.css' }],
  ],
  markdown: {
    config(md) {
      linkToSources(md)
      keepBraces(md)
      showEditors(md)
      showApiReference(md)
    },
  },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === 'markdown-editor' } } },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [
      { text: 'Markdown editor', link: '/markdown-editor' },
      { text: 'Trusted devices', link: '/trusted-devices' },
      { text: 'Frameworks', link: '/frameworks/' },
    ],
  },
})
