import { renderAttributes } from './attributes.ts'

/** The suffix of a file input's name, which begins with the name of its text field. */
export const FILES_SUFFIX = '-files'

const LABELS = new Map([
  ['de', 'Dateien hinzufügen'],
  ['fr', 'Ajouter des fichiers'],
])

/** Returns a file input for browsers without JavaScript. Without `types`, it accepts all files. */
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
