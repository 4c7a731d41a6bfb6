import type { EditorOptions } from '@quillgate/markdown-editor-element/contract'
import { ConfigurationError } from '@quillgate/server/core'
import { renderAttributes } from './attributes.ts'

/** The key of a field's drafts in the browser. */
export interface WidgetDraft {
  /** Names the record and the field, as in `post/17/body`; without white space. */
  readonly key: string
  /** An opaque id of the user. Without it, all users of the browser share the drafts. */
  readonly user?: string | null
  /** Names of other fields of the same form to keep with the text, such as `title`. */
  readonly fields?: readonly string[]
}

/** The options of drafts, as the element has them. */
export type DraftOptions = Pick<
  EditorOptions,
  'draft' | 'draftUser' | 'draftMaxAge' | 'draftFields'
>

/**
 * Returns the element's options for drafts. @param maxAge how long drafts are kept, in seconds
 * @throws ConfigurationError for a wrong key
 */
export function draftOptions(draft: WidgetDraft | string | null, maxAge: number): DraftOptions {
  if (draft === null) return {}
  const { key, user, fields }: WidgetDraft = typeof draft === 'string' ? { key: draft } : draft
  return {
    draft: checkKey(key),
    draftUser: user ?? undefined,
    draftMaxAge: maxAge,
    draftFields: fields,
  }
}

/**
 * Returns a tag for the head of the page that answers a form: it tells the browser that the drafts
 * with these keys, as they were sent with that form, have been saved.
 *
 * @throws ConfigurationError for a wrong key
 */
export function renderSaved(...keys: readonly string[]): string {
  return `<meta${renderAttributes({ name: 'md-editor-saved', content: keys.map(checkKey).join(' ') })}>`
}

function checkKey(key: string): string {
  if (typeof key === 'string' && /^\S{1,500}$/.test(key)) return key
  const problem = 'must have a key of at most 500 characters without white space'
  throw new ConfigurationError('draft', problem, key)
}
