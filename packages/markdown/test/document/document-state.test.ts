import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DocumentState, type StateRequest } from '../../src/document/document-state.ts'

const links = new Map([
  ['A', { href: '/a', title: '' }],
  ['B', { href: `/${'b'.repeat(39_998)}`, title: 'b' }],
])
const footnotes = new Set(['1', '2', '3'])
const create = (): DocumentState => new DocumentState({ links, footnotes }, 1000, 10_000)

type Call = (state: DocumentState) => unknown
const label = fc.constantFrom('A', 'B', '1', '2', '3', 'none', '__proto__', 'constructor')
const call: fc.Arbitrary<Call> = fc.oneof(
  label.map(
    (name): Call =>
      (state) =>
        state.link(name),
  ),
  label.map(
    (name): Call =>
      (state) =>
        state.isFootnote(name),
  ),
  label.map(
    (name): Call =>
      (state) =>
        state.refer(name),
  ),
  fc.constantFrom('a', 'a-1', 'a-1-1', 'b', 'constructor', '__proto__').map(
    (slug): Call =>
      (state) =>
        state.headingId(slug),
  ),
  fc.constantFrom(0, 1, 3000, 6000).map(
    (length): Call =>
      (state) =>
        state.mayHighlight(length),
  ),
)
const calls = fc.array(call, { maxLength: 15 })

function callAll(state: DocumentState, all: readonly Call[]): readonly StateRequest[] {
  for (const one of all) one(state)
  return state.takeRequests()
}

describe('link', () => {
  it('returns definitions until they add as many characters as the text has, at least 100,000', () => {
    const state = create()
    expect([1, 2, 3].map(() => state.link('B') !== undefined)).toEqual([true, true, false])
    expect(state.link('A')).toEqual({ href: '/a', title: '' })
    expect(state.link('none')).toBeUndefined()
    const long = new DocumentState({ links, footnotes }, 120_000, 0)
    expect([1, 2, 3].map(() => long.link('B') !== undefined)).toEqual([true, true, true])
  })
})

describe('refer', () => {
  it('numbers footnotes by their first reference and counts the references', () => {
    const state = create()
    expect(['2', '1', '2', 'none'].map((name) => state.refer(name))).toEqual([
      { label: '2', number: 1, references: 1 },
      { label: '1', number: 2, references: 1 },
      { label: '2', number: 1, references: 2 },
      null,
    ])
    expect(state.footnotes.map(({ label: name, references }) => [name, references])).toEqual([
      ['2', 2],
      ['1', 1],
    ])
    expect([state.isFootnote('3'), state.isFootnote('none')]).toEqual([true, false])
  })
})

describe('headingId', () => {
  it('never returns an id twice', () => {
    const state = create()
    expect(
      ['a', 'a', 'a-1', 'a', 'a-1', '__proto__', '__proto__'].map((slug) => state.headingId(slug)),
    ).toEqual([...['a', 'a-1', 'a-1-1', 'a-2', 'a-1-2', '__proto__', '__proto__-1']])
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^a(-[12]){0,3}$/)), (slugs) => {
        const own = create()
        expect(new Set(slugs.map((slug) => own.headingId(slug))).size).toBe(slugs.length)
      }),
    )
  })
})

describe('mayHighlight', () => {
  it('limits all code together', () => {
    const state = create()
    expect([6000, 5000, 4000, 1, 0].map((length) => state.mayHighlight(length))).toEqual([
      ...[true, false, true, false, true],
    ])
  })
})

describe('repeat', () => {
  it('returns true if all requests have the same results', () => {
    fc.assert(
      fc.property(calls, calls, calls, (before, part, after) => {
        const first = create()
        callAll(first, before)
        const requests = callAll(first, part)
        const second = create()
        callAll(second, before)
        expect(second.repeat(requests)).toBe(true)
        expect(second.takeRequests()).toEqual([])
        expect(callAll(second, after)).toEqual(callAll(first, after))
        expect(second.footnotes).toEqual(first.footnotes)
      }),
      { numRuns: 500 },
    )
  })

  it('returns false if a result differs, and then leaves the state unchanged', () => {
    let failed = 0
    fc.assert(
      fc.property(calls, calls, calls, calls, (before, changed, part, after) => {
        const first = create()
        callAll(first, before)
        const requests = callAll(first, part)
        const [repeated, called, untouched] = [create(), create(), create()]
        for (const state of [repeated, called, untouched]) callAll(state, changed)
        const isSame = repeated.repeat(requests)
        expect(isSame).toBe(JSON.stringify(callAll(called, part)) === JSON.stringify(requests))
        if (isSame) return
        failed++
        expect(repeated.takeRequests()).toEqual([])
        expect(repeated.footnotes).toEqual(untouched.footnotes)
        expect(callAll(repeated, after)).toEqual(callAll(untouched, after))
      }),
      { numRuns: 2000 },
    )
    expect(failed).toBeGreaterThan(500)
  })

  it('returns false if the URL of a definition has changed', () => {
    const requests = callAll(create(), [
      (state) => state.headingId('a'),
      (state) => state.link('A'),
    ])
    const moved = new DocumentState(
      { links: new Map([['A', { href: '/c', title: '' }]]), footnotes },
      1000,
      10_000,
    )
    expect(moved.repeat(requests)).toBe(false)
    expect(moved.headingId('a')).toBe('a')
  })
})
