// A second list of the elements and attributes that rendered HTML may contain. It does not use the
// policy of the renderer, so that the judges detect a mistake in the policy.

const everywhere = 'title lang dir'
const size = 'width height'
const player = 'src controls autoplay loop muted preload controlslist'

const attributes: Readonly<Record<string, string>> = {
  p: 'align class',
  div: 'align class',
  section: 'class',
  span: 'class',
  ...named('br hr wbr pre dl dt dd table caption thead tbody tfoot tr', ''),
  ...named(
    'strong b em i u s mark small sub kbd samp var cite dfn abbr bdi bdo ruby rt rp figure figcaption summary',
    '',
  ),
  ...named('h1 h2 h3 h4 h5 h6', 'id align'),
  ...named('blockquote del ins q', 'cite'),
  code: 'class',
  ul: 'class',
  ol: 'start reversed class',
  li: 'id value class',
  ...named('th td', 'align colspan rowspan'),
  a: 'href rel id class aria-label',
  sup: 'class',
  details: 'open',
  label: '',
  img: `src alt ${size} loading`,
  video: `${player} ${size} poster playsinline disablepictureinpicture`,
  audio: player,
  source: 'src type',
  input: 'type checked disabled class',
  iframe: `src ${size} sandbox allow loading referrerpolicy`,
}

const allowed: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(attributes).map(([name, own]) => [
    name,
    new Set(`${everywhere} ${own}`.split(' ')),
  ]),
)

const values: Readonly<Record<string, RegExp>> = {
  id: /^user-content-\S+$/,
  class:
    /^(((language|hljs)-[\p{L}\p{M}\p{N}_+#.-]{1,40}|[\w+#.-]{1,40}_|footnotes|footnote-ref|footnote-backref|contains-task-list|task-list-item(-checkbox)?|markdown-alert(-title|-note|-tip|-important|-warning|-caution)?)( |$))+$/u,
  align: /^(left|center|right)$/,
  dir: /^(ltr|rtl|auto)$/,
  width: /^\d{1,5}(px|%)?$/,
  height: /^\d{1,5}(px|%)?$/,
  colspan: /^[1-9]\d{0,2}$/,
  rowspan: /^[1-9]\d{0,2}$/,
  start: /^-?\d{1,9}$/,
  value: /^-?\d{1,9}$/,
  rel: /^nofollow ugc noopener$/,
  preload: /^(none|metadata|auto)$/,
  loading: /^(lazy|eager)$/,
  sandbox: /^(allow-(scripts|same-origin|popups|presentation)( |$))+$/u,
  allow: /^((fullscreen|encrypted-media|picture-in-picture)(; |$))+$/,
  referrerpolicy: /^strict-origin-when-cross-origin$/,
}

const media = /^https?:$/
const links = /^(https?|mailto|tel):$/
const frames: Readonly<Record<string, RegExp>> = {
  'www.youtube.com': /^\/embed\/[\w-]+$/,
  'www.youtube-nocookie.com': /^\/embed\/[\w-]+$/,
  'player.vimeo.com': /^\/video\/\d+$/,
  'codepen.io': /^(\/team)?\/[\w-]+\/embed\/[^/]/,
}

export function judgeElement(name: string, own: ReadonlyMap<string, string>): string[] {
  const known = allowed.get(name)
  if (known === undefined) return [`element ${name}`]
  const problems: string[] = []
  for (const [attribute, value] of own) {
    if (!known.has(attribute)) problems.push(`attribute ${attribute} of ${name}`)
    if (values[attribute]?.test(value) === false) problems.push(`${attribute} of ${name}: ${value}`)
    if (/^(href|src|poster|cite)$/.test(attribute) && !isSafeUrl(name, value))
      problems.push(`URL of ${name}: ${value}`)
  }
  if (name === 'input' && !(own.get('type') === 'checkbox' && own.has('disabled')))
    problems.push('an input')
  if (name === 'iframe' && !(isKnownFrame(own.get('src') ?? '') && own.has('sandbox')))
    problems.push('a frame')
  const href = own.get('href')
  if (href !== undefined && !href.startsWith('#') && !own.has('rel'))
    problems.push(`a link without rel: ${href}`)
  return problems
}

// The page that contains the HTML can use http or https.
function isSafeUrl(element: string, value: string): boolean {
  const schemes = /^(img|video|audio|source|iframe)$/.test(element) ? media : links
  const urls = ['http://page.example/a/b', 'https://page.example/a/b'].map((base) =>
    URL.parse(value, base),
  )
  return urls.every((url) => (url === null ? isDead(value) : schemes.test(url.protocol)))
}

// Browsers do not follow invalid URLs. Only http URLs may be invalid, because the invalid URL of
// another scheme could be an attack that the URL class does not parse.
function isDead(value: string): boolean {
  return /^[\0- ]*(https?:|[\\/]{2})/i.test(value.replace(/[\t\n\r]/g, ''))
}

function isKnownFrame(value: string): boolean {
  const url = URL.parse(value)
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '')
    return false
  return Object.hasOwn(frames, url.host) && frames[url.host]?.test(url.pathname) === true
}

function named(names: string, own: string): Record<string, string> {
  return Object.fromEntries(names.split(' ').map((name) => [name, own]))
}
