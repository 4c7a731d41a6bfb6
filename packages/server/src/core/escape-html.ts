/** Text as HTML: escaped for element content and for attribute values in quotes of either kind. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
