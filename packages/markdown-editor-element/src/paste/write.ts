import type {
  Link,
  List,
  ListItem,
  Parents,
  Root,
  RootContent,
  Table,
  TableCell,
  Text,
} from 'mdast'
import {
  defaultHandlers,
  type Info,
  type Join,
  type State,
  toMarkdown,
  type Unsafe,
} from 'mdast-util-to-markdown'
import type { Marked } from './inlines.ts'

declare module 'mdast-util-to-markdown' {
  interface ConstructNameMap {
    tableCell: 'tableCell'
  }
}

/** @param labels whether the text has link reference definitions, so `[any]` could be a link */
export function writeMarkdown(children: RootContent[], labels: boolean): string {
  const root: Root = { type: 'root', children }
  const markdown = toMarkdown(root, {
    bullet: '-',
    emphasis: '_',
    rule: '-',
    listItemIndent: 'one',
    join: [join],
    unsafe: UNSAFE,
    handlers: {
      break: (_, parent, state, info) =>
        state.stack.includes('tableCell') ? '<br>' : defaultHandlers.break(_, parent, state, info),
      link: Object.assign(writeLink, { peek: peekLink }),
      list: writeList,
      marked: Object.assign(writeMarked, { peek: peekMarked }),
      root: writeRoot,
      table: writeTable,
      tableCell: writeTableCell,
      text: Object.assign(writeText(labels), { peek: ({ value }: Text) => value }),
    },
  })
  return markdown.replace(/\n$/, '')
}

// Does not escape addresses, because `safeUrl` already returns Markdown.
function writeRoot(node: Root, parent: Parents | undefined, state: State, info: Info): string {
  state.unsafe = state.unsafe.filter((each) => !each.inConstruct?.includes('destinationRaw'))
  return defaultHandlers.root(node, parent, state, info)
}

// Character references and syntax of our renderer, which the library does not escape.
const UNSAFE: Unsafe[] = (
  [
    { character: '&', after: '#?\\w{1,32};' },
    { character: '~' },
    { character: '^' },
    { character: '=' },
    { character: ':', before: '[Hh][Tt][Tt][Pp][Ss]?', after: '//' },
    { character: '.', before: '[Ww]{3}', after: '\\w' },
  ] satisfies Unsafe[]
).map((each) => ({
  ...each,
  inConstruct: 'phrasing',
  notInConstruct: ['autolink', 'destinationRaw'],
}))

// Escapes that the library writes, but that are not needed.
const NEEDLESS: readonly RegExp[] = [
  // A sign between spaces, a single equals sign, and a sign that nothing closes.
  /(?<=\s)(?:\\\*|\\=\\=)(?=\s)/,
  /(?<!^|=)\\=(?!\\=)/,
  /(?<![~^])\\[~^](?=[^\s~^\\]+\s)/,
  // An address without characters that could start a mark.
  /(?<![\\\w])(?:https?\\:|www\\\.)[\w.,:;/?!&=%#@+$-]*(?=\s|$)/,
]
// An opening bracket, except at the start of a text, where a footnote or a task could begin.
const BRACKET = /(?<!^)\\\[/

// Underscores that the library does not escape, because it reads halves of emoji as letters.
const BESIDE_EMOJI = /(?<![\\_])_+(?=[\ud800-\udfff])|(?<=[\ud800-\udfff])_+/g

// Matches a text that needs no escapes. This check is much faster than that of the library.
const PLAIN = /^\p{L}(?:[\p{L}\p{N} ,;?'"()/%-]|[.:](?![\w/]))*$/u

/** Returns a handler that writes a text without the needless escapes of the library. */
function writeText(labels: boolean) {
  const inText = union(labels ? NEEDLESS : [...NEEDLESS, BRACKET])
  const inLabel = union(NEEDLESS)
  return (node: Text, parent: Parents | undefined, state: State, info: Info): string => {
    if (PLAIN.test(node.value)) return node.value
    const isLabel = state.stack.includes('label')
    const text = defaultHandlers
      .text(node, parent, state, info)
      .replace(BESIDE_EMOJI, (signs) => signs.replaceAll('_', '\\_'))
    return text.replace(isLabel ? inLabel : inText, (part, at: number) => {
      const plain = part.replaceAll('\\', '')
      if (at + part.length < text.length || isSpace(info.after)) return plain
      // Without `<` and `>`, the text after the address would become part of the address.
      return /^https?:\/\/./i.test(plain) && !isLabel ? `<${plain}>` : part
    })
  }
}

function union(patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'), 'gi')
}

/** Writes a link. If its text is its address, writes a bare address where our renderer links it. */
function writeLink(node: Link, parent: Parents | undefined, state: State, info: Info): string {
  const { before, after } = info
  const markdown = defaultHandlers.link(node, parent, state, info)
  if (!markdown.startsWith('<')) return markdown
  const address = markdown.slice(1, -1)
  const isBare = address.includes('://')
    ? isSpace(before) && isSpace(after) && /^https?:[^[\]]*(?:[a-z\d]|\/)$/i.test(address)
    : MAIL.test(address) && /^[\s(<"]?$/.test(before) && /^[\s)>",;]?$/.test(after)
  return isBare ? address : markdown
}

const MAIL = /^[a-z\d](?:[\w.+-]*[a-z\d])?@[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z]+$/i

// Returns the start of the written link, so that the library escapes `<` before an address.
function peekLink({ url, children: [first] }: Link): string {
  return first?.type === 'text' && url.endsWith(first.value) ? first.value : '['
}

const SIGNS: Readonly<Partial<Record<Marked['mark'], readonly string[]>>> = {
  strong: ['**'],
  em: ['_', '*'],
  del: ['~~'],
  mark: ['=='],
  sub: ['~'],
  sup: ['^'],
}

// Where signs have no effect, as in `**Note:**text`, an element is easier to read than `&#…;`.
function writeMarked(node: Marked, _: Parents | undefined, state: State, info: Info): string {
  const inner = state.containerPhrasing(node, { ...info, before: '(', after: ')' })
  const sign = SIGNS[node.mark]?.find((each) => fits(each, inner, info.before, info.after))
  return sign === undefined ? `<${node.mark}>${inner}</${node.mark}>` : sign + inner + sign
}

function peekMarked({ mark }: Marked): string {
  return SIGNS[mark]?.[0] ?? '<'
}

// Matches a character other than white space, punctuation and symbols.
const WORD_START = /^[^\s\p{P}\p{S}]/u
const WORD_END = /[^\s\p{P}\p{S}]$/u

/** Applies the flanking rules of CommonMark to a sign on both sides of a text. */
function fits(sign: string, inner: string, before: string, after: string): boolean {
  const around = [before, after, inner.charAt(0), inner.slice(-1)]
  if (around.includes(sign.charAt(0))) return false
  if (sign === '~' || sign === '^') return /^[\p{L}\p{N}+,.()-]+$/u.test(inner)
  const isAfterWord = WORD_START.test(before)
  const isBeforeWord = WORD_START.test(after)
  if (sign === '_' && (isAfterWord || isBeforeWord)) return false
  // The last character may be a surrogate pair.
  const endsWithWord = WORD_END.test(inner.slice(-2))
  return (WORD_START.test(inner) || !isAfterWord) && (endsWithWord || !isBeforeWord)
}

/** Returns whether a character is white space, or `''`, which is the start or end of a line. */
function isSpace(character: string): boolean {
  return character === '' || /^\s/.test(character)
}

function writeTable(node: Table, _: Parents | undefined, state: State, info: Info): string {
  const rows = node.children.map(({ children }) =>
    children.map((cell) => writeTableCell(cell, node, state, info)),
  )
  const signs = { left: ':--', center: ':-:', right: '--:' }
  rows.splice(1, 0, node.align?.map((align) => (align == null ? '---' : signs[align])) ?? [])
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function writeTableCell(node: TableCell, _: unknown, state: State, info: Info): string {
  const exit = state.enter('tableCell')
  const place = { ...info, before: ' ', after: ' ' }
  const text = defaultHandlers.paragraph({ ...node, type: 'paragraph' }, undefined, state, place)
  exit()
  return text.replaceAll('|', '\\|')
}

// The library takes quadratic time to number the items. Longer lists get bullets.
const MAX_ITEMS = 10_000

function writeList(node: List, parent: Parents | undefined, state: State, info: Info): string {
  const ordered = node.ordered && node.children.length <= MAX_ITEMS
  const spread = !node.children.every(({ children }) => children.every(canBeTight))
  const children = node.children.map((item) => ({ ...item, spread }))
  return defaultHandlers.list({ ...node, ordered, spread, children }, parent, state, info)
}

function canBeTight({ type }: ListItem['children'][number], index: number): boolean {
  return index === 0 ? type !== 'table' : /^(?:code|blockquote|list)$/.test(type)
}

/** Writes no empty line after `[!NOTE]` or another marker of an alert at the start of a quote. */
const join: Join = ({ type }, _, parent) =>
  type === 'html' && parent.type === 'blockquote' ? 0 : undefined
