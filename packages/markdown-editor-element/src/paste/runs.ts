import { MARKS, type Run } from './blocks.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
const INVISIBLE = /[\u0000-\u0008\u000e-\u001f\u007f\u200b\ufeff]/g
// Editors leave them between words. In numbers and before French punctuation they are meant.
const HARD_SPACE = /\u00a0(?![:;!?»%€])(?<!«\u00a0)(?<!\d\u00a0(?=\d))/g

/** A line break. */
export const BREAK: Run = { kind: 'break', text: '', marks: 0, link: null }

/** Collapses white space as browsers do, and joins runs with equal marks. */
export function cleanRuns(runs: readonly Run[]): Run[] {
  const clean: Run[] = []
  let spaced = true // At the start of a line white space vanishes.
  for (const run of runs) {
    if (run.kind === 'break') {
      trimEnd(clean)
      if (clean.length > 0) clean.push(BREAK)
      spaced = true
      continue
    }
    const text: string = run.kind === 'text' ? collapse(run.text, spaced) : run.text
    if (text === '') continue
    spaced = run.kind === 'text' && text.endsWith(' ')
    const last = clean.at(-1)
    if (last !== undefined && isAlike(last, run))
      clean[clean.length - 1] = { ...last, text: last.text + text }
    else clean.push({ ...run, text, marks: text === ' ' ? run.marks & ~MARKS.code : run.marks })
  }
  trimEnd(clean)
  while (clean.at(-1)?.kind === 'break') {
    clean.pop()
    trimEnd(clean)
  }
  return clean
}

/** The paragraphs that two breaks in a row divide runs into. */
export function splitParagraphs(runs: readonly Run[]): Run[][] {
  const paragraphs: Run[][] = [[]]
  runs.forEach((run, index) => {
    const divides = run.kind === 'break' && runs[index + 1]?.kind === 'break'
    const divided = run.kind === 'break' && runs[index - 1]?.kind === 'break'
    if (divides && !divided) paragraphs.push([])
    else if (!divides && !divided) paragraphs.at(-1)?.push(run)
  })
  return paragraphs
}

function collapse(text: string, spaced: boolean): string {
  const plain = text.replace(INVISIBLE, '').replace(HARD_SPACE, ' ')
  return plain.replace(/[ \t\n\r\f\v]+/g, ' ').replace(spaced ? /^ / : /^$/, '')
}

function trimEnd(runs: Run[]): void {
  let last = runs.at(-1)
  while (last?.kind === 'text') {
    const text: string = last.text.replace(/[ \u00a0]$/, '')
    if (text === last.text) return
    runs.pop()
    if (text !== '') runs.push({ ...last, text })
    last = runs.at(-1)
  }
}

function isAlike(a: Run, b: Run): boolean {
  return a.kind === 'text' && b.kind === 'text' && a.marks === b.marks && a.link === b.link
}

/** Trims a character at the end. `/ +$/` would take quadratic time for runs elsewhere. */
export function withoutEnd(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}
