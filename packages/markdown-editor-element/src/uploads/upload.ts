import type { Edit, TextState } from '../commands/edit.ts'
import {
  type PlaceholderForms,
  removePlaceholder,
  replacePlaceholder,
  type Spaced,
} from './placeholder.ts'
import type { UploadRow } from './upload-list.ts'

/** A file that is to get into the text. */
export interface Upload {
  /** Null when only its placeholder is left, after a reload. */
  file: File | null
  /** Of the file, as the user knows it. */
  readonly name: string
  readonly row: UploadRow
  /** How its place in the text looks. */
  readonly forms: PlaceholderForms
  /** What stands there now, with the white space that came with it. */
  readonly placeholder: Spaced
  /** The placeholders that were inserted together and are still there, or what came in their place. */
  readonly group: Spaced[]
  /** Ends the present attempt. */
  abort: AbortController
  /** What its place became, `''` for nothing; null as long as it is not settled. An undo may bring the place back. */
  outcome: string | null
  /** What went wrong at the last attempt. */
  error: unknown
}

/** What an upload is in any editor: the next one of the textarea goes on with it, in whatever language its place is. */
export type CarriedUpload = Pick<Upload, 'file' | 'name' | 'forms' | 'placeholder' | 'group'>

/** An upload that a reload interrupted, and whose file is not known any more; the message is for the user. */
export class InterruptedError extends Error {
  override name = 'InterruptedError'
}

/** An upload's place as it stands in a text; null when it is gone. */
export function placeIn(text: string, { placeholder, forms }: CarriedUpload): string | null {
  return [placeholder.text, forms.running, forms.failed].find((form) => text.includes(form)) ?? null
}

/** Puts something else in an upload's place. Null when the place is gone, or has it already. */
export function fill(state: TextState, upload: Upload, insert: string): Edit | null {
  const place = placeIn(state.text, upload)
  if (place === null || place === insert) return null
  if (insert === '') return removePlaceholder(state, { ...upload.placeholder, text: place })
  return replacePlaceholder(state, place, insert)
}

/** True when an upload's place is all that its line says, beside the marks of lists and quotes. */
export function standsAlone(text: string, upload: Upload): boolean {
  const place = placeIn(text, upload)
  if (place === null) return false
  const start = text.indexOf(place)
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
  const after = text.slice(start + place.length)
  return /^(?:[\s>*+-]|\d{1,9}[.)])*$/.test(before) && /^[^\S\n]*(?:\n|$)/.test(after)
}
