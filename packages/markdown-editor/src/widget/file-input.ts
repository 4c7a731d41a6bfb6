import { renderAttributes } from './attributes.ts'

/** Follows the name of a field in the name of its file input. */
export const FILES_SUFFIX = '-files'

const LABELS = new Map([
  ['de', 'Dateien hinzufügen'],
  ['fr', 'Ajouter des fichiers'],
])

/**
 * Returns a file input for pages without JavaScript.
 *
 * @param field the name of the field that it belongs to
 * @param types the media types that may be uploaded; without them, the server decides
 * @param locale a canonical language tag
 */
export function renderFileInput(
  field: string,
  types: readonly string[] | undefined,
  locale: string,
): string {
  const label = LABELS.get(locale.slice(0, 2)) ?? 'Add files'
  const name = field + FILES_SUFFIX
  const attributes = { type: 'file', name, multiple: true, accept: types?.join(',') }
  return `<noscript><label>${label} <input${renderAttributes(attributes)}></label></noscript>`
}
