// The HTML that the other renderers keep. They get these lists in their own options. The lists are
// about the same as our default policy.

export const elements: readonly string[] = (
  'p div section span br hr wbr h1 h2 h3 h4 h5 h6 blockquote pre code ul ol li dl dt dd table caption thead tbody tfoot ' +
  'tr th td a strong b em i u s del ins mark small sub sup kbd samp var q cite dfn abbr bdi bdo ruby rt rp details ' +
  'summary figure figcaption img video audio source input'
).split(' ')

/** By element. `*` stands for every element. */
export const attributes: Readonly<Record<string, readonly string[]>> = {
  '*': ['title', 'lang', 'dir', 'align', 'id'],
  a: ['href', 'class', 'aria-label'],
  blockquote: ['cite'],
  code: ['class'],
  ol: ['start', 'reversed', 'class'],
  ul: ['class'],
  li: ['value', 'class'],
  th: ['colspan', 'rowspan'],
  td: ['colspan', 'rowspan'],
  q: ['cite'],
  del: ['cite'],
  ins: ['cite'],
  sup: ['class'],
  section: ['class'],
  details: ['open'],
  img: ['src', 'alt', 'width', 'height', 'loading'],
  video: [
    'src',
    'controls',
    'loop',
    'muted',
    'preload',
    'poster',
    'width',
    'height',
    'playsinline',
  ],
  audio: ['src', 'controls', 'loop', 'muted', 'preload'],
  source: ['src', 'type'],
  input: ['type', 'checked', 'disabled', 'class'],
}

export const schemes: readonly string[] = ['http', 'https', 'mailto', 'tel']
