import type { Range } from '../commands/line-grammar.ts'
import type { UploadResponse } from '../contract/wire.ts'
import type { UploadEvents } from '../editor/element-events.ts'
import type { Insertion } from './placeholder.ts'
import type { UploadRow } from './upload-list.ts'

/** `content` has replaced the placeholder. It is `''` if the file was rejected or removed. */
type UploadState =
  | { readonly kind: 'queued' }
  | { readonly kind: 'sending'; readonly abort: AbortController }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'settled'; readonly content: string }

/** The Markdown of a file, and the text that the file replaces. */
export interface Placement {
  /** Returns the Markdown of the stored file. @default `mediaMarkdown` */
  readonly write?: (stored: UploadResponse) => string
  /**
   * Returns the range that the file replaces, or null if its text has changed. The text stays
   * until the file is stored, so there is no placeholder. By default, files replace nothing.
   */
  readonly replaces?: (text: string) => Range | null
}

/** A file to upload. */
export interface NewFile extends Placement {
  readonly file: File
}

/** An upload of an editor. */
export interface Upload {
  /** The file. Null after a reload, because then only the placeholder exists. */
  file: File | null
  readonly name: string
  readonly write: (stored: UploadResponse) => string
  /** The placeholder in the text. `''` if the file replaces a part of the text. */
  readonly placeholder: string
  readonly replaces: ((text: string) => Range | null) | null
  /** The insertion that added the placeholder; null if the text already contained it. */
  readonly insertion: Insertion | null
  readonly row: UploadRow
  state: UploadState
}

/** Dispatches an event of an upload on the element. */
export function dispatch<Type extends keyof UploadEvents>(
  host: HTMLElement,
  type: Type,
  detail: UploadEvents[Type]['detail'],
): void {
  host.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, detail }))
}
