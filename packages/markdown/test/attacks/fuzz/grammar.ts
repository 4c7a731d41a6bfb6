import { readPayloads } from '../payloads.ts'
import type { Random } from './random.ts'
import { randomTag } from './tags.ts'

type Rule = (random: Random, depth: number) => string

const fragments = readPayloads('fragments')
const urls = [...readPayloads('urls'), ...readPayloads('embeds')]
const attacks = ['scripts', 'mutation', 'broken', 'attributes', 'characters', 'markdown'].flatMap(
  readPayloads,
)
const words = [
  'a',
  'b',
  'text',
  'onerror=alert(1)',
  '\u{1F600}',
  'x_y',
  '1',
  '&amp;',
  'a.example',
  '\\*',
]

const inlineRules: readonly Rule[] = [
  (random) => random.pick(words),
  (random) => random.pick(words),
  (random) => random.pick(fragments),
  (random) => random.pick(fragments),
  (random) => randomTag(random),
  (random) => randomTag(random),
  (random) => randomTag(random),
  (random) => random.pick(attacks),
  (random, depth) =>
    around(random.pick(['*', '**', '_', '~~', '==', '^', '~', '`', '``']), line(random, depth + 1)),
  (random, depth) => `[${line(random, depth + 1)}](${random.pick(urls)}${title(random, depth)})`,
  (random, depth) => `[${line(random, depth + 1)}](<${random.pick(urls)}>${title(random, depth)})`,
  (random, depth) => `![${line(random, depth + 1)}](${random.pick(urls)}${title(random, depth)})`,
  (random) => `<${random.pick(urls)}>`,
  (random) => `[a][${random.pick(words)}] [^${random.pick(words)}]`,
  (random, depth) => `^[${line(random, depth + 1)}]`,
  (random, depth) => `<b>${line(random, depth + 1)}</b>`,
]

const blockRules: readonly Rule[] = [
  (random, depth) => line(random, depth),
  (random, depth) => line(random, depth),
  (random, depth) => `${random.pick(['#', '##', '######'])} ${line(random, depth)}`,
  (random, depth) => `${line(random, depth)}\n${random.pick(['===', '---'])}`,
  (random, depth) => prefix('> ', blocks(random, depth + 1)),
  (random, depth) =>
    prefix(
      '> ',
      `[!${random.pick(['NOTE', 'TIP', 'caution', 'x', '"><b>'])}]\n${blocks(random, depth + 1)}`,
    ),
  (random, depth) => random.repeat(1, 3, () => item('- ', blocks(random, depth + 1)), '\n'),
  (random, depth) => random.repeat(1, 3, () => item('7. ', blocks(random, depth + 1)), '\n'),
  (random, depth) =>
    random.repeat(1, 3, () => item(random.pick(['- [ ] ', '- [x] ']), line(random, depth)), '\n'),
  (random, depth) => table(random, depth),
  (random, depth) => fence(random, blocks(random, depth + 1)),
  (random, depth) => prefix('    ', line(random, depth)),
  (random, depth) => `[${random.pick(words)}]: ${random.pick(urls)} "${line(random, depth + 1)}"`,
  (random, depth) => item(`[^${random.pick(words)}]: `, blocks(random, depth + 1)),
  (random, depth) =>
    `<details>\n<summary>${line(random, depth)}</summary>\n\n${blocks(random, depth + 1)}\n\n</details>`,
  (random, depth) => random.repeat(1, 4, () => randomTag(random) + line(random, depth + 1), '\n'),
  (random, depth) => `${randomTag(random)}\n\n${blocks(random, depth + 1)}\n\n${randomTag(random)}`,
  (random) => random.pick(attacks),
  (random) => random.pick(urls),
  (random) => random.repeat(1, 12, () => random.pick(fragments)),
]

const deepest = 4

export function randomMarkdown(random: Random): string {
  return blocks(random, 0)
}

function blocks(random: Random, depth: number): string {
  if (depth >= deepest) return random.pick(words)
  return random.repeat(
    1,
    depth === 0 ? 5 : 2,
    () => random.pick(blockRules)(random, depth),
    random.pick(['\n\n', '\n\n', '\n']),
  )
}

function line(random: Random, depth: number): string {
  if (depth >= deepest) return random.pick(words)
  return random.repeat(
    1,
    4,
    () => random.pick(inlineRules)(random, depth + 1),
    random.pick([' ', '']),
  )
}

function title(random: Random, depth: number): string {
  if (random.chance(0.6)) return ''
  const [open, close] = random.pick([['"', '"'] as const, ["'", "'"] as const, ['(', ')'] as const])
  return ` ${open}${line(random, depth + 1)}${close}`
}

function table(random: Random, depth: number): string {
  const row = (): string => `| ${line(random, depth + 1)} | ${line(random, depth + 1)} |`
  return `${row()}\n|:-|:-:|\n${random.repeat(0, 3, row, '\n')}`
}

function fence(random: Random, content: string): string {
  const marker = random.pick(['```', '~~~', '````'])
  return `${marker}${random.pick(['', 'js', 'html', random.pick(fragments)])}\n${content}\n${random.chance(0.9) ? marker : ''}`
}

function around(mark: string, content: string): string {
  return mark + content + mark
}

function prefix(mark: string, content: string): string {
  return content.replace(/^/gm, mark)
}

function item(mark: string, content: string): string {
  return (
    mark +
    content.replaceAll('\n', `\n${' '.repeat(mark.startsWith('[^') ? 4 : mark.indexOf(' ') + 1)}`)
  )
}
