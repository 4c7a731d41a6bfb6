import { allOf, list, part, sqlFor } from '@quillgate/server/database'
import { describe, expect, it } from 'vitest'

describe('SQL that is put together', () => {
  it('binds the values of its parts in their order', () => {
    const where = allOf([part`a = ${1}`, part`(b = ${'x'} OR c IN (${list([2, 3])}))`])
    expect(sqlFor('postgres')`SELECT ${0} FROM t WHERE ${where} AND d = ${4}`).toEqual({
      sql: 'SELECT $1 FROM t WHERE (a = $2 AND (b = $3 OR c IN ($4, $5))) AND d = $6',
      params: [0, 1, 'x', 2, 3, 4],
    })
    expect(sqlFor('mariadb')`SELECT 1 FROM t WHERE ${where}`).toEqual({
      sql: 'SELECT 1 FROM t WHERE (a = ? AND (b = ? OR c IN (?, ?)))',
      params: [1, 'x', 2, 3],
    })
  })

  it('without conditions always holds', () => {
    expect(sqlFor('sqlite')`DELETE FROM t WHERE ${allOf([])}`.sql).toBe(
      'DELETE FROM t WHERE (1 = 1)',
    )
  })

  it('refuses question marks in parts, too', () => {
    const condition = part`a = ?`
    expect(() => sqlFor('sqlite')`SELECT ${condition}`).toThrow(/question mark/)
    expect(sqlFor('postgres')`SELECT ${condition}`.sql).toBe('SELECT a = ?')
  })
})
