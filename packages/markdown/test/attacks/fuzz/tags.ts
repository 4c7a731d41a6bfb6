import type { Random } from './random.ts'

const names = (
  'a a a b i em strong u s del ins mark sub sup kbd span span p p p div div div section h1 h2 h6 blockquote pre code ul ol li ' +
  'li dl dt dd table table thead tbody tfoot tr tr td td th caption colgroup col details summary figure figcaption ruby rt rp ' +
  'img img br hr wbr video audio source track input label iframe iframe script style svg math mtext mi mglyph annotation-xml ' +
  'foreignObject desc title textarea noscript template xmp plaintext listing noembed noframes select option button form ' +
  'fieldset object embed base link meta body html head frameset marquee nobr font center x-y slot dialog'
).split(' ')

const attributeNames = (
  'href href src src title alt id id class class style onclick onerror onload rel name align width height colspan start value type ' +
  'checked disabled open controls poster preload cite lang dir srcdoc sandbox allow target form action formaction xlink:href data-x ' +
  'aria-label is slot __proto__ constructor'
).split(' ')

const attributeValues: readonly string[] = [
  '/a.png',
  'https://a.example/?b=1&c=2',
  'javascript:alert(1)',
  'java\nscript:alert(1)',
  'java&Tab;script&colon;alert(1)',
  '&#1;javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'mailto:a@b.example',
  '//evil.example',
  '#user-content-a',
  '#a',
  'https://player.vimeo.com/video/1',
  'https://www.youtube.com@evil.example/embed/a',
  'user-content-a',
  'csrf',
  'language-js',
  'contains-task-list admin',
  'checkbox',
  'text',
  'left',
  '100%',
  '1e9',
  'alert(1)',
  'position:fixed',
  '"><img src=x onerror=alert(1)>',
  "'><svg onload=alert(1)>",
  '</p></div>',
  '<!--',
  '-->',
  'a > b',
  '\n\n',
  '&quot; onclick=alert(1)',
  '\0\ud800',
  '',
]

const spaces: readonly string[] = [' ', ' ', ' ', ' ', '\n', '\t', '\f', '/', '  ', '\r', '']

export function randomTag(random: Random): string {
  const name = random.chance(0.1) ? swapCase(random.pick(names)) : random.pick(names)
  if (random.chance(0.35))
    return `</${name}${random.chance(0.1) ? random.pick(spaces) : ''}${end(random)}`
  return `<${name}${random.repeat(0, 3, () => random.pick(spaces) + randomAttribute(random))}${end(random)}`
}

function randomAttribute(random: Random): string {
  const name = random.pick(attributeNames)
  if (random.chance(0.1)) return name
  const quote = random.pick(['"', '"', '"', "'", "'", '', '`'])
  const closing = random.chance(0.03) ? '' : quote
  const equals = random.chance(0.05) ? ' =\n' : '='
  return `${name}${equals}${quote}${random.pick(attributeValues)}${closing}`
}

function end(random: Random): string {
  const dice = random.fraction()
  if (dice < 0.9) return '>'
  return random.pick(['', '/>', ' />', ' ', '\n>', '>>', '\n\n>', '<'])
}

function swapCase(name: string): string {
  return Array.from(name, (letter, index) => (index % 2 ? letter.toUpperCase() : letter)).join('')
}
