import { descendants, type Element, parseStrictly } from './strict-html.ts'

// Written down a second time on purpose: a slip in the renderer's policy must not excuse itself.
const elements = new Set(
  (
    'p div section span br hr wbr h1 h2 h3 h4 h5 h6 blockquote pre code ul ol li dl dt dd table caption thead tbody tfoot ' +
    'tr th td a strong b em i u s del ins mark small sub sup kbd samp var q cite dfn abbr bdi bdo ruby rt rp details ' +
    'summary figure figcaption img video audio source input iframe'
  ).split(' '),
)
const attributes = new Set(
  (
    'href src alt title lang dir class id rel cite align colspan rowspan start reversed value open width height loading ' +
    'controls autoplay loop muted preload controlslist poster playsinline disablepictureinpicture type checked disabled ' +
    'sandbox allow allowfullscreen referrerpolicy aria-label'
  ).split(' '),
)
const classes =
  /^(language-[\w+#.-]{1,40}|footnotes|footnote-ref|footnote-backref|contains-task-list|task-list-item(-checkbox)?)$/
const frames =
  /^https:\/\/(www\.youtube(-nocookie)?\.com\/embed\/[\w-]+|player\.vimeo\.com\/video\/\d+|codepen\.io\/[\w-]+\/embed\/.+)(\?|#|$)/
const parents: Readonly<Record<string, string>> = {
  li: 'ul ol',
  dt: 'dl',
  dd: 'dl',
  tr: 'table thead tbody tfoot',
  td: 'tr',
  th: 'tr',
  thead: 'table',
  tbody: 'table',
  tfoot: 'table',
  caption: 'table',
}

/**
 * Says what is wrong with rendered HTML; an empty list when it is safe.
 */
export function judge(html: string): string[] {
  let root: Element
  try {
    root = parseStrictly(html)
  } catch (error) {
    return [String(error)]
  }
  const problems = html.isWellFormed() && !html.includes('\0') ? [] : ['not well-formed Unicode']
  for (const element of descendants(root)) problems.push(...judgeElement(element))
  return [...problems, ...judgePlaces(root, [])]
}

function judgeElement({ name, attributes: own }: Element): string[] {
  const problems = elements.has(name) ? [] : [`element ${name}`]
  for (const [attribute, value] of own) {
    if (!attributes.has(attribute)) problems.push(`attribute ${attribute}`)
    if (['href', 'src', 'poster', 'cite'].includes(attribute) && !isSafeUrl(name, value)) problems.push(`URL ${value}`)
    if (attribute === 'id' && !/^user-content-\S+$/.test(value)) problems.push(`id ${value}`)
    if (attribute === 'class' && !value.split(' ').every((word) => classes.test(word))) problems.push(`class ${value}`)
  }
  if (name === 'input' && !(own.get('type') === 'checkbox' && own.has('disabled'))) problems.push('an input')
  if (name === 'iframe' && !(frames.test(own.get('src') ?? '') && own.has('sandbox'))) problems.push('a frame')
  const href = own.get('href')
  if (name === 'a' && href !== undefined && !href.startsWith('#') && own.get('rel') !== 'nofollow ugc noopener') {
    problems.push(`a link without rel: ${href}`)
  }
  return problems
}

// A page may be served by http or https: both must give a scheme that runs nothing.
function isSafeUrl(element: string, value: string): boolean {
  const schemes = element === 'a' ? ['http:', 'https:', 'mailto:', 'tel:'] : ['http:', 'https:']
  return ['http://page.example/a/b', 'https://page.example/a/b'].every((base) => {
    const url = URL.parse(value, base)
    return url !== null && schemes.includes(url.protocol)
  })
}

function judgePlaces(element: Element, ancestors: readonly string[]): string[] {
  const inside = [...ancestors, element.name]
  return element.children.flatMap((child) => {
    if (typeof child === 'string') return []
    const problems = judgePlaces(child, inside)
    const allowed = parents[child.name]
    if (allowed !== undefined && !allowed.split(' ').includes(element.name))
      problems.push(`${child.name} in ${element.name}`)
    if (/^(table|thead|tbody|tfoot|tr)$/.test(element.name) && allowed === undefined) {
      problems.push(`${child.name} in ${element.name}`)
    }
    if (child.name === 'a' && inside.includes('a')) problems.push('a link in a link')
    return problems
  })
}
