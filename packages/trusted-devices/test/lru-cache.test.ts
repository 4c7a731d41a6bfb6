import { describe, expect, it } from 'vitest'
import { createLruCache } from '../src/lru-cache.ts'

describe('createLruCache', () => {
  it('keeps no more than its limit, and what was used last', () => {
    const cache = createLruCache<number>(2)
    cache.set('a', 1)
    cache.set('b', 2)
    expect(cache.get('a')).toBe(1)
    cache.set('c', 3)
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3])
    cache.set('c', 4)
    expect([cache.get('a'), cache.get('c')]).toEqual([1, 4])
    for (let index = 0; index < 1000; index++) cache.set(String(index), index)
    expect([cache.get('a'), cache.get('998'), cache.get('999')]).toEqual([undefined, 998, 999])
  })

  it('forgets one, some, and all', () => {
    const cache = createLruCache<number>(10)
    for (const value of [1, 2, 3, 4]) cache.set(String(value), value)
    cache.delete('1')
    cache.deleteWhere((value) => value % 2 === 0)
    expect([1, 2, 3, 4].map((value) => cache.get(String(value)))).toEqual([
      undefined,
      undefined,
      3,
      undefined,
    ])
    cache.clear()
    expect(cache.get('3')).toBeUndefined()
  })
})
