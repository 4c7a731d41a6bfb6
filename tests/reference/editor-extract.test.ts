import { readFileSync } from 'node:fs'
import { extractMediaUrls } from '@quillgate/markdown-editor'
import { describe, expect, it } from 'vitest'
import { missingReasons } from './differences.ts'

interface ExtractCase {
  readonly id: string
  readonly note: string
  readonly text?: string
  /** A text as pieces that are repeated and joined. */
  readonly textParts?: readonly (readonly [part: string, count: number])[]
  /** A value that is not a text. */
  readonly argument?: unknown
  readonly expected: { readonly urls?: readonly string[]; readonly raises?: string }
  readonly verdict: 'follow' | 'improve' | 'free'
  readonly want?: { readonly urls?: readonly string[]; readonly autolinks?: readonly string[] }
}

const file = new URL('cases/editor-extract.json', import.meta.url)
const cases = JSON.parse(readFileSync(file, 'utf8')) as ExtractCase[]

// Our results for cases with the verdict `free`. See differences.md.
const decided: Readonly<Record<string, readonly string[] | 'TypeError'>> = {
  'ext-poster': ['/p.png', '/v.mp4'],
  'ext-srcset': ['/a.png', '/b.png', '/c.png'],
  'ext-autolink': ['https://example.com/a.png'],
  'ext-autolink-bare': ['https://example.com/a.png'],
  'ext-autolink-www': ['http://www.example.com/a.png'],
  'ext-type-list': 'TypeError',
  'ext-type-zero': 'TypeError',
}

describe('reference: extractMediaUrls', () => {
  it.each(cases.map((test) => [test.id, test] as const))('%s', (id, test) => {
    const argument = argumentOf(test) as string
    const urls = decided[id] ?? urlsOf(test)
    if (urls === 'TypeError') expect(() => extractMediaUrls(argument)).toThrow(TypeError)
    else expect([...extractMediaUrls(argument)].sort()).toEqual([...urls].sort())
  })

  it('overrides only cases with the verdict free', () => {
    const free = cases.filter(({ verdict }) => verdict === 'free').map(({ id }) => id)
    expect(Object.keys(decided).filter((id) => !free.includes(id))).toEqual([])
    expect(missingReasons(Object.keys(decided))).toEqual([])
  })
})

function argumentOf({ id, text, textParts, argument }: ExtractCase): unknown {
  if (textParts !== undefined) return textParts.map(([part, count]) => part.repeat(count)).join('')
  if (id === 'ext-type-bytes') return new TextEncoder().encode(String(argument))
  return text ?? argument
}

function urlsOf({ expected, want }: ExtractCase): readonly string[] | 'TypeError' {
  return want?.urls ?? expected.urls ?? 'TypeError'
}
