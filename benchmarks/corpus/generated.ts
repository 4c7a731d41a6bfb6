import { Random } from './random.ts'

/** The relative frequency of each kind of block in a generated document. */
export type Mixture = Readonly<Partial<Record<keyof typeof blocks, number>>>

/** The blocks of a typical comment under an article. */
export const commentMixture: Mixture = { prose: 10, list: 2, quote: 2, code: 1, image: 1 }

/** The blocks of a typical page of a wiki or a README. */
export const articleMixture: Mixture = {
  heading: 4,
  prose: 10,
  list: 4,
  tasks: 1,
  table: 2,
  code: 3,
  quote: 1,
  image: 1,
  html: 2,
  footnote: 1,
}

/**
 * Returns a document with the given mixture of blocks. The same arguments return the same document.
 *
 * @param seed - any integer
 * @param length - the approximate length, in characters
 */
export function generate(seed: number, length: number, mixture: Mixture): string {
  const random = new Random(seed)
  const kinds = Object.entries(mixture).flatMap(([kind, share]) => Array<string>(share).fill(kind))
  const written: string[] = []
  for (let size = 0; size < length; size += (written.at(-1)?.length ?? 0) + 2) {
    const kind = kinds[Math.floor(random.below(kinds.length))] as keyof typeof blocks
    written.push(blocks[kind](random, written.length))
  }
  return `${written.join('\n\n')}\n`
}

const blocks = {
  heading: (random: Random) => `${'#'.repeat(1 + random.below(4))} ${words(random, 2 + random.below(5))}`,
  prose: (random: Random) => random.join(2 + random.below(5), '\n', () => sentence(random)),
  list: (random: Random) => {
    const marker = random.pick(['-', '*', '1.'])
    const nested = `\n${' '.repeat(marker.length + 1)}- `
    const item = (): string => `${marker} ${sentence(random)}${random.below(5) < 1 ? nested + sentence(random) : ''}`
    return random.join(2 + random.below(6), random.pick(['\n', '\n', '\n\n']), item)
  },
  tasks: (random: Random) => random.join(3, '\n', () => `- [${random.pick([' ', 'x'])}] ${sentence(random)}`),
  table: (random: Random) => {
    const columns = 2 + random.below(4)
    const row = (cell: () => string): string => `| ${random.join(columns, ' | ', cell)} |`
    const head = `${row(() => words(random, 1))}\n${row(() => random.pick(['---', ':--', '--:', ':-:']))}`
    return `${head}\n${random.join(2 + random.below(8), '\n', () => row(() => phrase(random)))}`
  },
  code: (random: Random) => {
    const line = (index: number): string => `${'  '.repeat(index % 3)}const ${word(random)} = ${word(random)}(${index})`
    return `\`\`\`${random.pick(['ts', 'js', '', 'json'])}\n${random.join(3 + random.below(12), '\n', line)}\n\`\`\``
  },
  quote: (random: Random) => random.join(1 + random.below(3), '\n', () => `> ${sentence(random)}`),
  image: (random: Random) => `![${words(random, 3)}](https://images.example.org/${word(random)}/${word(random)}.png)`,
  html: (random: Random) =>
    random.pick([
      `<details>\n<summary>${words(random, 3)}</summary>\n\n${sentence(random)}\n\n</details>`,
      `<p align="center">\n  <img src="https://example.org/${word(random)}.svg" width="200" alt="${word(random)}">\n</p>`,
      `<div align="right"><b>${words(random, 3)}</b> <a href="https://example.org/${word(random)}">${word(random)}</a></div>`,
    ]),
  footnote: (random: Random, index: number) => `${sentence(random)}[^${index}]\n\n[^${index}]: ${sentence(random)}`,
}

function sentence(random: Random): string {
  const text = random.join(2 + random.below(4), ' ', () => phrase(random))
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

function phrase(random: Random): string {
  const plain = words(random, 2 + random.below(4))
  if (random.below(10) < 7) return plain
  return random.pick([
    () => `**${plain}**`,
    () => `*${plain}*`,
    () => `~~${plain}~~`,
    () => `\`${plain}\``,
    () => `[${plain}](https://example.org/${word(random)}?${word(random)}=1#${word(random)})`,
    () => `[${plain}](./${word(random)}/${word(random)}.md)`,
    () => `https://www.example.org/${word(random)}`,
    () => `<kbd>Ctrl</kbd> + ${word(random)}`,
    () => `H<sub>2</sub>O & ${word(random)}`,
    () => `"${plain}" — naïve ${word(random)}`,
  ])()
}

function words(random: Random, count: number): string {
  return random.join(count, ' ', () => word(random))
}

const vocabulary =
  'the of and a to in is it that for on with as was this be at by not are from or have an they which one you were all ' +
  'there would their we him been has when who will no more if out so up said what its about than into them can only ' +
  'other time new some could these two may first then do any like my now over such our man me even most made after ' +
  'also did many off before must well back through years where much your way down should because long each just state ' +
  'editor preview table server response request parameter document element attribute renderer network certificate'
const [firstWord = '', ...otherWords] = vocabulary.split(' ')

function word(random: Random): string {
  return random.pick([firstWord, ...otherWords])
}
