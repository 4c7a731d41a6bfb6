/**
 * Returns whether a value is text of 1 to `longest` characters that every database can store.
 * PostgreSQL cannot store U+0000, and no database can store a lone surrogate.
 */
export function isStorableText(value: unknown, longest: number): value is string {
  if (typeof value !== 'string' || value === '' || value.length > longest) return false
  return value.isWellFormed() && !value.includes('\0')
}
