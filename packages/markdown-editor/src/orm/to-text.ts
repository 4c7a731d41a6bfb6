/** A value of a column as a text in which media are looked for; what is no text (JSON, a list) counts as it is written. */
export function toText(value: unknown): string | null {
  if (value === null || value === undefined || typeof value === 'string') return value ?? null
  return JSON.stringify(value) ?? null
}
