import type { trustHtml, trustScriptUrl } from '../dom/trusted-types.ts'
import type { splitWords } from '../dom/words.ts'
import type { EditorStrings } from '../strings/strings.ts'

/**
 * What the preview takes from the page's first script. It is handed over, since a module that both import would be a
 * file of its own, and one request more for each page.
 */
export interface PreviewTools {
  readonly trustHtml: typeof trustHtml
  readonly trustScriptUrl: typeof trustScriptUrl
  readonly splitWords: typeof splitWords
  readonly strings: Pick<EditorStrings, 'nothingToPreview' | 'partMissing' | 'previewTooSlow'>
}
