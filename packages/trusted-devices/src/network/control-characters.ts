/**
 * Returns an untrusted text as one line that is safe for terminals, logs and pages. Replaces
 * dangerous characters with spaces: control characters (C0 and C1), line separators, and characters
 * that change the writing direction.
 */
export function stripControlCharacters(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, ' ')
}

/** Replaces the same characters as {@link stripControlCharacters}, but keeps line feeds. */
export function plainLines(text: string): string {
  return text.split('\n').map(stripControlCharacters).join('\n')
}

/**
 * Returns a value as indented JSON that is safe for terminals. The characters that
 * {@link stripControlCharacters} replaces are escaped.
 */
export function plainJson(value: unknown): string {
  const json = JSON.stringify(value, null, 2)
  return json.replace(/[\x7f-\x9f\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
