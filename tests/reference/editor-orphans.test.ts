import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { missingReasons } from './differences.ts'
import { type MediaWorld, openWorld } from './media-world.ts'

interface OrphansCase {
  readonly id: string
  readonly storedBefore: readonly string[]
  readonly oldText: string | null
  readonly newText: string | null
  readonly settings?: Readonly<Record<string, unknown>>
  readonly expected: { readonly deleted?: readonly string[]; readonly raises?: string }
  readonly verdict: 'follow' | 'improve' | 'free'
  readonly want?: { readonly deleted?: readonly string[] }
}

const file = new URL('cases/editor-orphans.json', import.meta.url)
const cases = JSON.parse(readFileSync(file, 'utf8')) as OrphansCase[]

// Cases that differ. The reasons are in differences.md.
const decided: Readonly<Record<string, readonly string[] | 'refused at start'>> = {
  'orp-path-partial': 'refused at start',
}

let world: MediaWorld | undefined
afterEach(async () => {
  await world?.close()
  world = undefined
})

describe('reference: deleteOrphanedMedia', () => {
  it.each(cases.map((test) => [test.id, test] as const))('%s', async (id, test) => {
    const want = decided[id] ?? test.want?.deleted ?? test.expected.deleted ?? []
    const stored = test.storedBefore.filter((path) => !path.endsWith('/'))
    const before = Object.fromEntries(stored.map((path) => [path, 'x']))
    if (want === 'refused at start') {
      await expect(openWorld(before, test.settings)).rejects.toMatchObject({
        code: 'configuration_error',
      })
      return
    }
    world = await openWorld(before, test.settings)
    const { editor, toOurs, toTheirs, files } = world
    const texts = [test.oldText, test.newText].map((text) => (text === null ? null : toOurs(text)))
    const deleted = await editor.deleteOrphanedMedia(texts[0] ?? null, texts[1] ?? null)
    expect(deleted.map(toTheirs).sort()).toEqual([...want].sort())
    const left = stored.filter((path) => path.includes('/') && !want.includes(path))
    expect(await files()).toEqual(left.map((path) => `${path} x`).sort())
  })

  it('overrides only existing cases', () => {
    expect(Object.keys(decided).filter((id) => !cases.some((test) => test.id === id))).toEqual([])
  })

  it('differs only for a documented reason', () => {
    expect(missingReasons(Object.keys(decided))).toEqual([])
  })
})
