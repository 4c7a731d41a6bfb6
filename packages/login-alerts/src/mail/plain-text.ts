const MAX_NAME = 60
const MAX_SUBJECT = 200

/**
 * Converts a name that others chose (a device, a browser, a city) to one short line of plain words,
 * so that a stranger cannot write a message to the account's owner in the application's name.
 * Control and direction characters are removed, and all that mail programs turn into links
 * (`evil.example`, `a@b`, `//`).
 */
export function plainName(text: string): string {
  const words = text
    .slice(0, 4 * MAX_NAME)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}@/\\:<>]+/gu, ' ')
    .replace(/[\p{Cf}\p{Co}\p{Cn}]+/gu, '')
    .replace(/(?<=[\p{L}\p{N}-])[.。．｡](?=[\p{L}\p{N}]*\p{L})/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
  const letters = [...words]
  return letters.length <= MAX_NAME
    ? words
    : `${letters
        .slice(0, MAX_NAME - 1)
        .join('')
        .trim()}…`
}

/** A subject: one line, whatever it was made of, so that it begins no other header. */
export function subjectLine(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return [...line].slice(0, MAX_SUBJECT).join('')
}
