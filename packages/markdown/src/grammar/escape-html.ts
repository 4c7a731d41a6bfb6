const special = /[&<>"]/

/** Escapes a text for use as element content and in attributes with double quotes. */
export function escapeHtml(text: string): string {
  if (!special.test(text)) return text
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
