import { readPayloads } from '../payloads.ts'
import type { Random } from './random.ts'
import { randomTag } from './tags.ts'

const fragments = readPayloads('fragments')

interface Range {
  readonly start: number
  readonly end: number
}

type Mutation = (text: string, random: Random, corpus: readonly string[]) => string

// The mutations cut between UTF-16 units, so that documents can also contain lone surrogates.
const mutations: readonly Mutation[] = [
  function splice(text, random, corpus) {
    const other = random.pick(corpus)
    const { start, end } = someRange(other, random)
    return insert(text, random, other.slice(start, end))
  },
  function remove(text, random) {
    const { start, end } = someRange(text, random)
    return text.slice(0, start) + text.slice(end)
  },
  function duplicate(text, random) {
    const { start, end } = someRange(text, random)
    return insert(text, random, text.slice(start, end))
  },
  function swap(text, random) {
    const [first, second, third] = [random, random, random]
      .map(() => random.below(text.length + 1))
      .sort((a, b) => a - b)
    return (
      text.slice(0, first) +
      text.slice(second, third) +
      text.slice(first, second) +
      text.slice(third)
    )
  },
  function truncate(text, random) {
    return random.chance(0.5)
      ? text.slice(0, random.below(text.length))
      : text.slice(random.below(text.length))
  },
  function insertFragment(text, random) {
    return insert(text, random, random.pick(fragments))
  },
  function insertTag(text, random) {
    return insert(text, random, randomTag(random))
  },
  function insertCharacter(text, random) {
    return insert(
      text,
      random,
      String.fromCharCode(random.chance(0.8) ? random.below(256) : random.below(65536)),
    )
  },
  function encode(text, random) {
    const { start } = someRange(text, random)
    const code = text.codePointAt(start) ?? 32
    const encoded = random.pick([
      `&#${code};`,
      `&#x${code.toString(16)}`,
      `%${code.toString(16)}`,
      `\\${text[start] ?? ''}`,
    ])
    return text.slice(0, start) + encoded + text.slice(start + 1)
  },
  function join(text, random, corpus) {
    return text + random.pick(['', ' ', '\n', '\n\n']) + random.pick(corpus)
  },
]

const longest = 4000

export function mutate(text: string, random: Random, corpus: readonly string[]): string {
  let mutated = text
  for (let count = 1 + random.below(5); count > 0; count--)
    mutated = random.pick(mutations)(mutated, random, corpus)
  return mutated.slice(0, longest)
}

function insert(text: string, random: Random, piece: string): string {
  const place = random.below(text.length + 1)
  return text.slice(0, place) + piece + text.slice(place)
}

function someRange(text: string, random: Random): Range {
  const start = random.below(text.length)
  return {
    start,
    end: Math.min(text.length, start + 1 + random.below(random.chance(0.7) ? 12 : text.length)),
  }
}
