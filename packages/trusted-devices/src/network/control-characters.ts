/**
 * Returns a foreign text as one line for terminals, logs and pages. Control characters (C0 and C1,
 * which terminals obey) and characters that change the direction of writing become blanks.
 */
export function stripControlCharacters(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, ' ')
}

/** Strips the control characters of a text, but keeps its lines. */
export function plainLines(text: string): string {
  return text.split('\n').map(stripControlCharacters).join('\n')
}

/**
 * Writes JSON for terminals: the characters that {@link stripControlCharacters} replaces become
 * escapes.
 */
export function plainJson(value: unknown): string {
  const json = JSON.stringify(value, null, 2)
  return json.replace(/[\x7f-\x9f\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
