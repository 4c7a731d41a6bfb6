/** The CSRF token for an editor: from its form's field `csrf_token`, or from `<meta name="csrf-token">`. */
export function csrfToken(form: HTMLFormElement | null): string | null {
  const field = form?.elements.namedItem('csrf_token')
  if (field instanceof HTMLInputElement && field.value !== '') return field.value
  return document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.content || null
}
