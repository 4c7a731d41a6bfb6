import type { EditorOptions } from '@quillgate/markdown-editor-element/contract'
import { ConfigurationError } from '@quillgate/server/core'
import { renderAttributes } from './attributes.ts'

/** The key of a field's drafts in the browser. */
export interface WidgetDraft {
  /** Names the record and the field, as in `post/17/body`; without white space. */
  readonly key: string
  /**
   * An id of the user that means nothing to others. Without it, drafts are shared by all users of
   * the browser.
   */
  readonly user?: string | null
}

/** The options of drafts, as the element has them. */
export type DraftOptions = Pick<EditorOptions, 'draft' | 'draftUser' | 'draftMaxAge'>

/**
 * Returns the element's options for drafts.
 *
 * @param maxAge how long drafts are kept, in seconds
 * @throws ConfigurationError for a key that is empty, has white space or more than 500 characters
 */
export function draftOptions(draft: WidgetDraft | string | null, maxAge: number): DraftOptions {
  if (draft === null) return {}
  const { key, user } = typeof draft === 'string' ? { key: draft, user: null } : draft
  return { draft: checkKey(key), draftUser: user ?? undefined, draftMaxAge: maxAge }
}

/**
 * A tag for the head of the page that answers a form: it tells the browser that the drafts with
 * these keys, as they were sent with that form, have been saved.
 *
 * @throws ConfigurationError for a key as `draft` does not take it
 */
export function renderSaved(...keys: readonly string[]): string {
  return `<meta${renderAttributes({ name: 'md-editor-saved', content: keys.map(checkKey).join(' ') })}>`
}

function checkKey(key: string): string {
  if (typeof key === 'string' && /^\S{1,500}$/.test(key)) return key
  throw new ConfigurationError(
    'draft',
    'must have a key of at most 500 characters without white space',
    key,
  )
}
