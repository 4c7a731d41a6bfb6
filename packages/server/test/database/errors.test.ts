import { isUniqueViolation } from '@quillgate/server/database'
import { describe, expect, it } from 'vitest'
import { isTransient } from '../../src/database/errors.ts'

const sqlite = (errcode: number): Error =>
  Object.assign(new Error(), { code: 'ERR_SQLITE_ERROR', errcode })
const coded = (code: string): Error => Object.assign(new Error(), { code })

describe('isUniqueViolation', () => {
  it.each([
    ['node:sqlite, UNIQUE', sqlite(2067)],
    ['node:sqlite, PRIMARY KEY', sqlite(1555)],
    ['better-sqlite3', coded('SQLITE_CONSTRAINT_PRIMARYKEY')],
    ['pg', coded('23505')],
    ['mysql2', coded('ER_DUP_ENTRY')],
    ['an error with such a cause', new Error('save failed', { cause: coded('23505') })],
    [
      "TypeORM's QueryFailedError",
      Object.assign(new Error(), { driverError: coded('ER_DUP_ENTRY') }),
    ],
    ["Sequelize's error", Object.assign(new Error(), { original: sqlite(2067) })],
  ])('is true for %s', (_library, error) => {
    expect(isUniqueViolation(error)).toBe(true)
  })

  it.each([
    ['a foreign key of node:sqlite', sqlite(787)],
    ['a foreign key of pg', coded('23503')],
    ['any error', new Error('23505')],
    ['null', null],
    ['a string', '23505'],
  ])('is false for %s', (_what, error) => {
    expect(isUniqueViolation(error)).toBe(false)
  })

  it('handles circular causes', () => {
    const error = new Error('a')
    error.cause = new Error('b', { cause: error })
    expect(isUniqueViolation(error)).toBe(false)
  })
})

describe('isTransient', () => {
  it.each([
    ['busy, node:sqlite', sqlite(5)],
    ['busy snapshot, node:sqlite', sqlite(517)],
    ['locked, node:sqlite', sqlite(6)],
    ['busy, better-sqlite3', coded('SQLITE_BUSY')],
    ['a deadlock, pg', coded('40P01')],
    ['a serialization failure, pg', coded('40001')],
    ['a deadlock, mysql2', coded('ER_LOCK_DEADLOCK')],
    ['a lock not given in time, mysql2', coded('ER_LOCK_WAIT_TIMEOUT')],
    ['an error with such a cause', new Error('save failed', { cause: coded('40001') })],
  ])('is true for %s', (_what, error) => {
    expect(isTransient(error)).toBe(true)
  })

  it.each([
    ['a duplicate key', sqlite(2067)],
    ['a lost connection', coded('ECONNRESET')],
    ['undefined', undefined],
  ])('is false for %s', (_what, error) => {
    expect(isTransient(error)).toBe(false)
  })
})
