import { createRequire } from 'node:module'
import type { DefaultRendererOptions } from '@quillgate/markdown'
import type { MarkdownIt } from 'markdown-it'
import { attributes, elements, schemes } from './html-subset.ts'

export type Render = (markdown: string) => string

/**
 * Creates a renderer as its documentation recommends.
 * Loads only the packages of this renderer, so that packages of other renderers do not take memory.
 */
type Make = () => Promise<Render>

/** Our renderer without highlighting, because the other renderers do not highlight. */
export const ours = 'quillgate'

/** Our renderer with all defaults. */
export const oursHighlighting = 'quillgate, highlighting'

/** markdown-it with community plugins for the syntax that our renderer supports. */
export const rawWithPlugins = 'markdown-it + plugins, raw'

/**
 * markdown-it without plugins. It has no task lists, heading ids, footnotes, alerts, mark, sub and
 * sup.
 */
export const rawAlone = 'markdown-it, raw'

/** Renderers that sanitize their output and keep a subset of HTML. */
export const peers: readonly string[] = [
  'marked + sanitize-html',
  'marked + DOMPurify (jsdom)',
  'markdown-it + sanitize-html',
  'unified + rehype-sanitize',
]

const makers: Readonly<Record<string, Make>> = {
  [ours]: () => createOurs({ highlight: null }),
  [oursHighlighting]: () => createOurs({}),
  [rawWithPlugins]: async () => {
    const parser = await withPlugins(createMarkdownIt())
    return (markdown) => parser.render(markdown)
  },
  [rawAlone]: async () => {
    const parser = createMarkdownIt()
    return (markdown) => parser.render(markdown)
  },
  'marked + sanitize-html': async () => {
    const { marked } = await import('marked') // GFM is the default of marked.
    const sanitize = await createSanitizeHtml()
    return (markdown) => sanitize(marked.parse(markdown, { async: false }))
  },
  'marked + DOMPurify (jsdom)': async () => {
    const { marked } = await import('marked')
    const sanitize = await createDomPurify()
    return (markdown) => sanitize(marked.parse(markdown, { async: false }))
  },
  'markdown-it + sanitize-html': async () => {
    const { default: taskLists } = await import('markdown-it-task-lists')
    // With task lists, tables, strikethrough and linkify, the parser supports GFM.
    const parser = createMarkdownIt().use(taskLists)
    const sanitize = await createSanitizeHtml()
    return (markdown) => sanitize(parser.render(markdown))
  },
  'unified + rehype-sanitize': createUnified,
}

/**
 * Creates a renderer by its name: {@link ours}, {@link oursHighlighting}, {@link rawWithPlugins},
 * {@link rawAlone} or one of {@link peers}.
 */
export async function createRenderer(name: string): Promise<Render> {
  const make = makers[name]
  if (make === undefined) throw new RangeError(`There is no renderer "${name}".`)
  return make()
}

async function createOurs(options: DefaultRendererOptions): Promise<Render> {
  const { DefaultRenderer } = await import('@quillgate/markdown')
  const renderer = new DefaultRenderer(options)
  return (markdown) => renderer.render(markdown)
}

// Loads the same copy of markdown-it as DefaultRenderer.
const requireAsOurs = createRequire(
  new URL('../../../packages/markdown-editor/package.json', import.meta.url),
)

export function loadMarkdownIt(): typeof MarkdownIt {
  return requireAsOurs('markdown-it') as typeof MarkdownIt
}

function createMarkdownIt(): MarkdownIt {
  const Parser = loadMarkdownIt()
  return new Parser({ html: true, linkify: true })
}

async function withPlugins(parser: MarkdownIt): Promise<MarkdownIt> {
  const modules: readonly { readonly default: (parser: MarkdownIt) => void }[] = await Promise.all([
    import('markdown-it-mark'),
    import('markdown-it-sub'),
    import('markdown-it-sup'),
    import('markdown-it-footnote'),
    import('markdown-it-task-lists'),
    import('markdown-it-anchor'),
    import('markdown-it-github-alerts'),
  ])
  for (const { default: plugin } of modules) parser.use(plugin)
  return parser
}

async function createSanitizeHtml(): Promise<(html: string) => string> {
  const { default: sanitizeHtml } = await import('sanitize-html')
  const options = {
    allowedTags: [...elements],
    allowedAttributes: Object.fromEntries(
      Object.entries(attributes).map(([name, names]) => [name, [...names]]),
    ),
    allowedSchemes: [...schemes],
    parseStyleAttributes: false, // Parsing is not needed, because no style attribute is allowed.
  }
  return (html) => sanitizeHtml(html, options)
}

async function createDomPurify(): Promise<(html: string) => string> {
  const [{ default: createPurifier }, { JSDOM }] = await Promise.all([
    import('dompurify'),
    import('jsdom'),
  ])
  const purifier = createPurifier(new JSDOM('').window)
  const options = {
    ALLOWED_TAGS: [...elements, '#text'],
    ALLOWED_ATTR: [...new Set(Object.values(attributes).flat())],
    ALLOWED_URI_REGEXP: new RegExp(
      `^(?:(?:${schemes.join('|')}):|[^a-z]|[a-z+.-]+(?:[^a-z+.:-]|$))`,
      'i',
    ),
    ALLOW_DATA_ATTR: false,
  }
  return (html) => purifier.sanitize(html, options)
}

async function createUnified(): Promise<Render> {
  const [{ unified }, ...plugins] = await Promise.all([
    import('unified'),
    import('remark-parse'),
    import('remark-gfm'),
    import('remark-rehype'),
    import('rehype-raw'),
    import('rehype-sanitize'),
    import('rehype-stringify'),
  ])
  const [parse, gfm, toHtml, raw, sanitize, stringify] = plugins
  const schema = {
    ...sanitize.defaultSchema, // GitHub's schema with our elements and attributes.
    tagNames: [...elements],
    attributes: Object.fromEntries(
      Object.entries(attributes).map(([name, names]) => [
        name,
        names.map((attribute) => propertyNames[attribute] ?? attribute),
      ]),
    ),
    protocols: {
      href: [...schemes],
      src: ['http', 'https'],
      cite: [...schemes],
      poster: ['http', 'https'],
    },
  }
  const processor = unified()
    .use(parse.default)
    .use(gfm.default)
    .use(toHtml.default, { allowDangerousHtml: true })
    .use(raw.default)
    .use(sanitize.default, schema)
    .use(stringify.default)
    .freeze()
  return (markdown) => String(processor.processSync(markdown))
}

// The names of attributes that differ between HTML and hast, the syntax tree of unified.
const propertyNames: Readonly<Record<string, string>> = {
  class: 'className',
  colspan: 'colSpan',
  rowspan: 'rowSpan',
  playsinline: 'playsInline',
  'aria-label': 'ariaLabel',
}
