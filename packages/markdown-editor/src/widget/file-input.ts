import { renderAttributes } from './attributes.ts'

/** The suffix that turns the name of a field into the name of its file input. */
export const FILES_SUFFIX = '-files'

const LABELS = new Map([
  ['de', 'Dateien hinzufügen'],
  ['fr', 'Ajouter des fichiers'],
])

/**
 * Returns a file input for pages without JavaScript.
 *
 * @param field the name of the markdown field
 * @param types the media types that the browser offers; if undefined, it offers all
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
