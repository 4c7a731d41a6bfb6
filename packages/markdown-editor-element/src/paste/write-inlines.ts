import { writeAddress } from '../commands/links.ts'
import { BREAK, MARKS, type Run } from './blocks.ts'
import { escapeText, fits, isSpace } from './escape.ts'
import { codeSpan } from './urls.ts'

interface InlinePlace {
  /** The kind of block that contains the text. */
  readonly kind: 'cell' | 'heading' | 'paragraph'
  /** Whether the document defines link labels, so that `[any]` could become a link. */
  readonly labels: boolean
}

interface Delimiter {
  readonly mark: number
  readonly tag: string
  /** The possible Markdown marks. The first one that fits is used, or the tag if none fits. */
  readonly signs: readonly string[]
}

const LINK = 512
const DELIMITERS: readonly Delimiter[] = [
  { mark: MARKS.strong, tag: 'strong', signs: ['**'] },
  { mark: MARKS.em, tag: 'em', signs: ['_', '*'] },
  { mark: MARKS.del, tag: 'del', signs: ['~~'] },
  { mark: MARKS.mark, tag: 'mark', signs: ['=='] },
  { mark: MARKS.sub, tag: 'sub', signs: ['~'] },
  { mark: MARKS.sup, tag: 'sup', signs: ['^'] },
  { mark: MARKS.kbd, tag: 'kbd', signs: [] },
  { mark: MARKS.ins, tag: 'ins', signs: [] },
]

/** Writes runs as Markdown that renders the same. */
export function writeInlines(runs: readonly Run[], place: InlinePlace): string {
  return new InlineWriter(place).write(runs, 0, '', '')
}

class InlineWriter {
  readonly #place: InlinePlace

  constructor(place: InlinePlace) {
    this.#place = place
  }

  /**
   * Writes runs that are inside other marks.
   *
   * @param applied the marks around the runs, as bit flags
   * @param before the character before the runs; `''` at the start of a line
   * @param after the character after the runs; `''` at the end of a line
   */
  write(runs: readonly Run[], applied: number, before: string, after: string): string {
    // The last character is stored separately, because reading it from a growing string is slow.
    const parts: string[] = []
    let left = before
    for (let index = 0; index < runs.length; ) {
      const { mark, end } = nextGroup(runs, index, applied)
      const right = firstOf(runs, end, applied, after)
      const group = runs.slice(index, end)
      const part =
        mark === 0
          ? this.#leaf(group[0] ?? BREAK, applied, left, right)
          : this.#wrap(group, mark, applied, left, right)
      parts.push(part)
      if (part !== '') left = part.endsWith('\n') ? '' : part.slice(-1)
      index = end
    }
    return parts.join('')
  }

  #leaf(run: Run, applied: number, before: string, after: string): string {
    const inCell = this.#place.kind === 'cell'
    if (run.kind === 'break') return this.#break()
    if (run.kind === 'markdown') return inCell ? run.text.replaceAll('|', '\\|') : run.text
    if ((run.marks & MARKS.code) !== 0) {
      const code = codeSpan(run.text)
      return inCell ? code.replaceAll('|', '\\|') : code
    }
    const inLink = (applied & LINK) !== 0
    return escapeText(run.text, { before, after, inLink, inCell, labels: this.#place.labels })
  }

  #break(): string {
    if (this.#place.kind === 'cell') return '<br>'
    return this.#place.kind === 'heading' ? ' ' : '\\\n'
  }

  #wrap(
    group: readonly Run[],
    mark: number,
    applied: number,
    before: string,
    after: string,
  ): string {
    const { lead, core, trail } = trimGroup(group)
    const outside = applied | mark
    if (core.length === 0) return this.write(lead, outside, before, after)
    const left = lead.length === 0 ? before : ' '
    const right = trail.length === 0 ? after : ' '
    const inner =
      mark === LINK
        ? this.#link(core, applied, left, right)
        : this.#mark(core, mark, applied, left, right)
    return this.write(lead, outside, before, '') + inner + this.write(trail, outside, '', after)
  }

  #mark(
    core: readonly Run[],
    mark: number,
    applied: number,
    before: string,
    after: string,
  ): string {
    const { tag = 'span', signs = [] } = DELIMITERS.find((each) => each.mark === mark) ?? {}
    const inner = this.write(core, applied | mark, '(', ')')
    const sign = signs.find((each) => fits(each, inner, before, after))
    return sign === undefined ? `<${tag}>${inner}</${tag}>` : sign + inner + sign
  }

  #link(core: readonly Run[], applied: number, before: string, after: string): string {
    const url = core[0]?.link ?? ''
    const [only] = core
    const isAddress =
      core.length === 1 &&
      only?.kind === 'text' &&
      only.text === url &&
      only.marks === (only.marks & applied)
    if (isAddress && /^https?:\/\/[^\s<>|]+$/i.test(url)) {
      const bare = isSpace(before) && isSpace(after) && /[\w/]$/.test(url) && !/[[\]]|_$/.test(url)
      return bare && (applied & ~LINK) === 0 ? url : `<${url}>`
    }
    if (core.length === 1 && only !== undefined && isMail(only, url, applied)) {
      if (/^[\s(<"]?$/.test(before) && /^[\s)>",;]?$/.test(after)) return only.text
    }
    const label = this.write(core, applied | LINK, '[', ']')
    return `[${label}](${writeAddress(url)})`
  }
}

function isMail(run: Run, url: string, applied: number): boolean {
  if (run.kind !== 'text' || url !== `mailto:${run.text}` || (run.marks & ~applied) !== 0)
    return false
  return /^[a-z\d](?:[\w.+-]*[a-z\d])?@[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z]+$/i.test(run.text)
}

/**
 * Returns the mark to write next and the end of its group: a link, or the mark that extends
 * furthest. The mark is 0 for a run without further marks.
 */
function nextGroup(
  runs: readonly Run[],
  index: number,
  applied: number,
): { mark: number; end: number } {
  const run = runs[index]
  if (run === undefined || run.kind === 'break') return { mark: 0, end: index + 1 }
  if (run.link !== null && (applied & LINK) === 0)
    return { mark: LINK, end: groupEnd(runs, index, LINK, run.link) }
  let best = { mark: 0, end: index + 1 }
  for (const { mark } of DELIMITERS) {
    if ((run.marks & mark & ~applied) === 0) continue
    const end = groupEnd(runs, index, mark, null)
    if (best.mark === 0 || end > best.end) best = { mark, end }
  }
  return best
}

function groupEnd(runs: readonly Run[], index: number, mark: number, link: string | null): number {
  let end = index + 1
  for (let at = end; at < runs.length; at++) {
    const run = runs[at]
    if (run === undefined) break
    // A break inside a group belongs to it, but a break at its end does not.
    if (run.kind === 'break') continue
    if (mark === LINK ? run.link !== link : (run.marks & mark) === 0) break
    end = at + 1
  }
  return end
}

/**
 * Returns the first character that a run has in Markdown. For marks, any punctuation character will
 * do. Returns `after` if there is no such run.
 */
function firstOf(runs: readonly Run[], index: number, applied: number, after: string): string {
  const run = runs[index]
  if (run === undefined) return after
  if (run.kind === 'break') return ''
  if (run.kind === 'text' && (run.marks & MARKS.code) === 0 && /^\s/.test(run.text)) return ' '
  if (run.link !== null && (applied & LINK) === 0) return '['
  if (run.kind === 'markdown') return run.text.charAt(0)
  return (run.marks & ~applied) === 0 ? run.text.charAt(0) : '('
}

interface Trimmed {
  readonly lead: Run[]
  readonly core: Run[]
  readonly trail: Run[]
}

/** Moves white space and breaks at the ends of a group out of its marks. */
function trimGroup(group: readonly Run[]): Trimmed {
  const from = group.findIndex((run) => !isBlank(run))
  const last = group.findLastIndex((run) => !isBlank(run))
  const core = from === -1 ? [] : group.slice(from, last + 1)
  const lead = (from === -1 ? group : group.slice(0, from)).map(toSpace)
  const trail = from === -1 ? [] : group.slice(last + 1).map(toSpace)
  const [first] = core
  if (first !== undefined && isTrimmed(first)) {
    const text = first.text.trimStart()
    if (text !== first.text) lead.push(space(first.text.slice(0, -text.length)))
    core[0] = { ...first, text }
  }
  const end = core.at(-1)
  if (end !== undefined && isTrimmed(end)) {
    const text = end.text.trimEnd()
    if (text !== end.text) trail.unshift(space(end.text.slice(text.length)))
    core[core.length - 1] = { ...end, text }
  }
  return { lead, core, trail }
}

/** Returns whether the white space at the ends of a run can be moved out of its marks. */
function isTrimmed(run: Run): boolean {
  return run.kind === 'text' && (run.marks & MARKS.code) === 0
}

function isBlank(run: Run): boolean {
  return run.kind === 'break' || (isTrimmed(run) && run.text.trimStart() === '')
}

function toSpace(run: Run): Run {
  return run.kind === 'break' ? run : space(run.text)
}

function space(text: string): Run {
  return { kind: 'text', text, marks: 0, link: null }
}
