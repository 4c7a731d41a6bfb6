/**
 * A text of somebody else's as one line, for terminals, logs and pages: control characters (C0 and C1, which terminals
 * obey) and what turns the direction of writing become blanks.
 */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, ' ')
}

/** The same for a text of several lines. */
export function plainLines(text: string): string {
  return text.split('\n').map(oneLine).join('\n')
}

/** JSON for terminals: the characters that {@link oneLine} takes out are written as escapes. */
export function plainJson(value: unknown): string {
  const json = JSON.stringify(value, null, 2)
  return json.replace(/[\x7f-\x9f\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
