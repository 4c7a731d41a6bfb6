import { serverError } from '../core/errors.ts'
import type { Dialect } from './types.ts'

/** The values that a placeholder accepts on all three engines. */
export type SqlValue = string | number | bigint | boolean | null | Uint8Array

const VALUES =
  'Use text, a finite number, a 64-bit bigint, a boolean, null or a Uint8Array. Convert a Date with getTime().'
const MIN_BIGINT = -(2n ** 63n)
const MAX_BIGINT = 2n ** 63n - 1n

/**
 * Converts an integer column or a count to a number. Drivers return numbers, bigints or strings.
 *
 * @throws QuillgateError `invalid_number` if the value is not a number, or an integer beyond 2^53
 * @example toNumber((await executor.query('SELECT count(*) AS n FROM posts'))[0]?.n)
 */
export function toNumber(value: unknown): number {
  const isText = typeof value === 'string' && value.trim() !== ''
  const number = isText || typeof value === 'bigint' ? Number(value) : value
  const isExact = Number.isSafeInteger(number) || !Number.isInteger(number)
  if (typeof number === 'number' && Number.isFinite(number) && isExact) return number
  const detail = `A value of the database is not an exact number. Its type is ${typeof value}.`
  throw serverError('invalid_number', detail)
}

/**
 * Converts a boolean column. PostgreSQL returns a boolean, and the other engines return 0 or 1.
 *
 * @throws QuillgateError `invalid_boolean` for any other value, including null
 */
export function toBoolean(value: unknown): boolean {
  if (value === true || value === 1 || value === 1n) return true
  if (value === false || value === 0 || value === 0n) return false
  const detail = `A value of the database is not a boolean, 0 or 1. Its type is ${typeof value}.`
  throw serverError('invalid_boolean', detail)
}

/**
 * Converts parameters for the driver. Rejects values that drivers misinterpret. mysql2 converts an
 * object to `key = value` SQL, and an array to a list. pg formats a Date in the local time zone.
 * node:sqlite reads an object as named parameters.
 *
 * @throws QuillgateError `invalid_parameter` (500, because the caller passed a wrong type), or
 * `invalid_text` (400) for U+0000 in a text, which PostgreSQL cannot store
 */
export function toParameters(dialect: Dialect, params: readonly unknown[]): SqlValue[] {
  return params.map((value, index) => {
    if (!isSqlValue(value))
      throw serverError(
        'invalid_parameter',
        `Parameter ${index + 1} has the type ${typeof value}. ${VALUES}`,
      )
    if (typeof value === 'string' && value.includes('\0'))
      throw serverError('invalid_text', 'A text contains the character U+0000. Remove it.')
    if (dialect === 'sqlite' && typeof value === 'boolean') return value ? 1 : 0
    // mysql2 writes a Uint8Array that is not a Buffer as an object.
    if (dialect === 'mariadb' && value instanceof Uint8Array)
      return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    return value
  })
}

/** SQL for the time at which a statement starts, in milliseconds since the epoch. */
export const SQL_NOW: Readonly<Record<Dialect, string>> = {
  sqlite: "CAST(unixepoch('now', 'subsec') * 1000 AS integer)",
  postgres: 'CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS bigint)',
  mariadb: "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)",
}

/** Converts an integer of a driver to a number. An integer beyond 2^53 becomes text. */
export function fromBigInt(value: bigint | string): number | string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value.toString()
}

function isSqlValue(value: unknown): value is SqlValue {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value === 'bigint') return value >= MIN_BIGINT && value <= MAX_BIGINT
  return (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    value instanceof Uint8Array
  )
}
