import { alertKinds } from '../grammar/alert-kinds.ts'
import type { AttributeRule, ElementRule, EmbedHost, RenderPolicy } from './policy.ts'

const align: AttributeRule = { oneOf: ['left', 'center', 'right'] }
const size: Readonly<Record<string, AttributeRule>> = { width: 'length', height: 'length' }
const headings: readonly string[] = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const heading: ElementRule = { attributes: { id: 'id', align }, notInside: headings }
// Elements that have only global attributes.
const plain =
  'pre dl strong b em i u s mark small sub kbd samp var cite dfn abbr bdi bdo ruby figure figcaption'
const alertClasses: readonly string[] = alertKinds.map((kind) => `markdown-alert-${kind}`)
const cell: ElementRule = {
  attributes: { align, colspan: 'span', rowspan: 'span' },
  parents: ['tr'],
}
const rows: ElementRule = { parents: ['table'], children: ['tr'] }
const quoted: ElementRule = { attributes: { cite: 'link' } }
const player: Readonly<Record<string, AttributeRule>> = {
  src: 'media',
  controls: 'flag',
  autoplay: 'flag',
  loop: 'flag',
  muted: 'flag',
  preload: { oneOf: ['none', 'metadata', 'auto'] },
  controlslist: { tokens: ['nodownload', 'nofullscreen', 'noplaybackrate', 'noremoteplayback'] },
}
const listItem: ElementRule = {
  attributes: { id: 'id', value: 'number', class: { tokens: ['task-list-item'] } },
  parents: ['ul', 'ol'],
}

// The policy allows table parts and list items only in their own parents. In other places, they
// could make browsers close elements of the page around the text.
const elements: Readonly<Record<string, ElementRule>> = {
  p: { attributes: { align, class: { tokens: ['markdown-alert-title'] } } },
  div: { attributes: { align, class: { tokens: ['markdown-alert', ...alertClasses] } } },
  section: { attributes: { class: { tokens: ['footnotes'] } } },
  span: { attributes: { class: { tokens: ['hljs-*', '*_'] } } },
  ...allOf(['br', 'hr', 'wbr'], { void: true }),
  ...allOf(headings, heading),
  ...allOf(plain.split(' '), {}),
  blockquote: quoted,
  code: { attributes: { class: { tokens: ['language-*'] } } },
  ul: { attributes: { class: { tokens: ['contains-task-list'] } } },
  ol: {
    attributes: { start: 'number', reversed: 'flag', class: { tokens: ['contains-task-list'] } },
  },
  li: listItem,
  ...allOf(['dt', 'dd'], { parents: ['dl'] }),
  table: { children: ['caption', 'thead', 'tbody', 'tfoot', 'tr'] },
  caption: { parents: ['table'] },
  ...allOf(['thead', 'tbody', 'tfoot'], rows),
  tr: { parents: ['table', 'thead', 'tbody', 'tfoot'], children: ['th', 'td'] },
  ...allOf(['th', 'td'], cell),
  a: {
    attributes: {
      href: 'link',
      rel: 'text',
      id: 'id',
      class: { tokens: ['footnote-backref'] },
      'aria-label': 'text',
    },
    notInside: ['a'],
  },
  ...allOf(['del', 'ins'], quoted),
  sup: { attributes: { class: { tokens: ['footnote-ref'] } } },
  q: quoted,
  rt: { parents: ['ruby'] },
  rp: { parents: ['ruby'] },
  details: { attributes: { open: 'flag' } },
  summary: { parents: ['details'] },
  img: {
    attributes: { src: 'media', alt: 'text', ...size, loading: { oneOf: ['lazy', 'eager'] } },
    void: true,
  },
  video: {
    attributes: {
      ...player,
      ...size,
      poster: 'media',
      playsinline: 'flag',
      disablepictureinpicture: 'flag',
    },
  },
  audio: { attributes: player },
  source: {
    attributes: { src: 'media', type: 'text' },
    requires: ['src'],
    parents: ['video', 'audio'],
    void: true,
  },
  input: {
    attributes: {
      type: { oneOf: ['checkbox'] },
      checked: 'flag',
      disabled: 'flag',
      class: { tokens: ['task-list-item-checkbox'] },
    },
    requires: ['type', 'disabled'],
    void: true,
  },
  label: { notInside: ['label'] },
  iframe: {
    // `toFrame` writes these attributes. From the author, it uses only src, title and size.
    attributes: {
      src: 'media',
      title: 'text',
      ...size,
      sandbox: 'text',
      allow: 'text',
      loading: 'text',
      referrerpolicy: 'text',
    },
    requires: ['src', 'sandbox'],
  },
}

function allOf(names: readonly string[], rule: ElementRule): Record<string, ElementRule> {
  return Object.fromEntries(names.map((name) => [name, rule]))
}

// Players need `allow-same-origin` to use their storage. They cannot access the page, because the
// page has another origin.
const playerSandbox = 'allow-scripts allow-same-origin allow-popups allow-presentation'

const youtube = { name: 'YouTube', path: '/embed/[\\w-]+', sandbox: playerSandbox }

/** The sites whose players may be framed by default. */
export const knownEmbedHosts: readonly EmbedHost[] = [
  { host: 'www.youtube.com', ...youtube },
  { host: 'www.youtube-nocookie.com', ...youtube },
  { host: 'player.vimeo.com', name: 'Vimeo', path: '/video/\\d+', sandbox: playerSandbox },
  {
    host: 'codepen.io',
    name: 'CodePen',
    path: '(?:/team)?/[\\w-]+/embed/.+',
    sandbox: playerSandbox,
  },
]

/** The default policy of `DefaultRenderer`. */
export const defaultPolicy: RenderPolicy = {
  elements,
  globalAttributes: { title: 'text', lang: 'text', dir: { oneOf: ['ltr', 'rtl', 'auto'] } },
  schemes: { link: ['http', 'https', 'mailto', 'tel'], media: ['http', 'https'] },
  embeds: knownEmbedHosts,
  linkRel: 'nofollow ugc noopener',
  idPrefix: 'user-content-',
  maxDepth: 200,
}
