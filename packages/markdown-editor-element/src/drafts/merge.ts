import { diff3MergeRegions } from 'node-diff3'

/** Lines that were changed in two ways. */
export interface Conflict {
  readonly base: string
  readonly mine: string
  readonly theirs: string
}

/** A piece of a merged text: what fits together, or what does not. */
export type MergePart = string | Conflict

/** The side of a conflict to keep. */
export type Choice = 'mine' | 'theirs' | 'both'

// Pairs of equal lines or words that a merge may compare. Ten times as many take a minute.
const MAX_PAIRS = 300_000

/** How many pairs may still be looked at; beyond them it is a conflict. */
interface Budget {
  pairs: number
}

/** Merges two texts with a common base, by lines, then by words. The rest are conflicts. */
export function merge(base: string, mine: string, theirs: string): MergePart[] {
  if (mine === theirs || theirs === base) return join([mine])
  if (mine === base) return join([theirs])
  const budget = { pairs: MAX_PAIRS }
  return join(
    mergeBy(splitBlocks, { base, mine, theirs }, budget)
      .flatMap((part) => mergeLines(part, budget))
      .flatMap((part) => mergeWords(part, budget)),
  )
}

/** Writes the merged text. There is one choice per conflict in order; a missing one is `both`. */
export function writeMerge(parts: readonly MergePart[], choices: readonly Choice[] = []): string {
  let index = 0
  let text = ''
  for (const part of parts)
    text += typeof part === 'string' ? part : choose(part, choices[index++] ?? 'both')
  return text
}

function choose({ mine, theirs }: Conflict, choice: Choice): string {
  if (choice !== 'both') return choice === 'mine' ? mine : theirs
  const apart = mine === '' || theirs === '' || mine.endsWith('\n') ? '' : '\n'
  return mine + apart + theirs
}

/** Splits a conflict at empty lines that stayed the same. */
function mergeLines(part: MergePart, budget: Budget): MergePart[] {
  return typeof part === 'string' ? [part] : mergeBy(splitLines, part, budget)
}

/** Merges the words of a conflict. It stays a conflict when both changed the same words. */
function mergeWords(part: MergePart, budget: Budget): MergePart[] {
  if (typeof part === 'string') return [part]
  const { base, mine, theirs } = part
  if (base === '' || mine === '' || theirs === '') return [part]
  const parts = mergeBy(splitWords, part, budget)
  return parts.every((each) => typeof each === 'string') ? parts : [part]
}

function mergeBy(
  split: (text: string) => string[],
  { base, mine, theirs }: Conflict,
  budget: Budget,
): MergePart[] {
  return mergeLists(split(base), split(mine), split(theirs), budget)
}

function mergeLists(base: string[], mine: string[], theirs: string[], budget: Budget): MergePart[] {
  const all = [base, mine, theirs]
  const shortest = Math.min(...all.map((list) => list.length))
  let start = 0
  while (start < shortest && all.every((list) => list[start] === base[start])) start++
  let end = 0
  while (end < shortest - start && all.every((list) => list.at(-1 - end) === base.at(-1 - end)))
    end++
  const middle = (list: string[]): string[] => list.slice(start, list.length - end)
  return [
    base.slice(0, start).join(''),
    ...mergeMiddles(middle(base), middle(mine), middle(theirs), budget),
    base.slice(base.length - end).join(''),
  ]
}

function mergeMiddles(
  base: string[],
  mine: string[],
  theirs: string[],
  budget: Budget,
): MergePart[] {
  const pairs = countPairs(base, mine) + countPairs(base, theirs)
  if (pairs > budget.pairs)
    return [{ base: base.join(''), mine: mine.join(''), theirs: theirs.join('') }]
  budget.pairs -= pairs
  return diff3MergeRegions(mine, base, theirs).map((region) => {
    if (region.stable) return region.bufferContent.join('')
    const [a, o, b] = [region.aContent.join(''), region.oContent.join(''), region.bContent.join('')]
    return a === b ? a : { mine: a, base: o, theirs: b }
  })
}

/** How many pairs of equal elements two lists have. */
function countPairs(one: readonly string[], other: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const element of one) counts.set(element, (counts.get(element) ?? 0) + 1)
  return other.reduce((sum, element) => sum + (counts.get(element) ?? 0), 0)
}

/** Joins the pieces that fit together. */
function join(parts: readonly MergePart[]): MergePart[] {
  const joined: MergePart[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (typeof part === 'string' && typeof last === 'string')
      joined[joined.length - 1] = last + part
    else if (part !== '') joined.push(part)
  }
  return joined
}

/** Splits into lines with the empty lines after them: long texts have thousands of those. */
const splitBlocks = (text: string): string[] => text.match(/[^\n]*\n(?:[ \t]*\n)*|[^\n]+$/g) ?? []

const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

const splitWords = (text: string): string[] =>
  text.match(/\s|[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]/gu) ?? []
