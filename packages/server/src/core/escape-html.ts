// `@quillgate/markdown` has its own function, because neither package depends on the other. That
// function does not escape `'`, so its result is not safe in single quotes.
/** Escapes text for HTML element content, and for attribute values in single or double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
