// `@quillgate/markdown` has a copy of this function, because neither package depends on the other.
/** Escapes text for HTML element content, and for attribute values in single or double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
