import type { EditorOptions } from '@quillgate/markdown-editor-element/contract'
import {
  ConfigurationError,
  checks,
  field,
  type Input,
  parse,
  required,
} from '@quillgate/server/core'
import { renderAttributes } from './attributes.ts'

const DRAFT = {
  /** The record and the field, for example `post/17/body`, without white space. */
  key: required(checks.text),
  /** An opaque id of the user. Without it, all users of the browser share the drafts. */
  user: field(checks.orNull(checks.text), null),
  /** The names of other fields whose values are kept with the text, for example `title`. */
  fields: field(checks.listOf(checks.text), []),
}

/** Options for the drafts of a field in the browser. */
export type WidgetDraft = Input<typeof DRAFT>

/** The element's options for drafts. */
export type DraftOptions = Pick<
  EditorOptions,
  'draft' | 'draftUser' | 'draftMaxAge' | 'draftFields'
>

/**
 * Returns the element's options for drafts.
 *
 * @param maxAge seconds for which drafts are kept
 */
export function draftOptions(draft: WidgetDraft | string | null, maxAge: number): DraftOptions {
  if (draft === null) return {}
  const given = typeof draft === 'string' ? { key: draft } : draft
  const { key, user, fields } = parse(DRAFT, given, 'draft')
  return {
    draft: checkKey(key),
    draftUser: user ?? undefined,
    draftMaxAge: maxAge,
    draftFields: fields.length > 0 ? fields : undefined,
  }
}

/**
 * Returns a `<meta>` tag for the page that is shown after a form was saved. The browser then
 * deletes the drafts with these keys.
 *
 * @throws ConfigurationError for an invalid key
 */
export function renderSaved(...keys: readonly string[]): string {
  return `<meta${renderAttributes({ name: 'md-editor-saved', content: keys.map(checkKey).join(' ') })}>`
}

function checkKey(key: string): string {
  if (typeof key === 'string' && /^\S{1,500}$/.test(key)) return key
  const problem = 'must have a key of at most 500 characters without white space'
  throw new ConfigurationError('draft', problem, key)
}
