import type { PreviewOptions } from '@quillgate/markdown/browser'
import type { Mode, SurfaceChoice, Theme } from '../contract/choices.ts'
import { toCssLength } from '../contract/css-length.ts'
import { formatToolbar, type ToolbarItem } from '../contract/toolbar.ts'

/** What a {@link MarkdownEditor} is given beside the attributes of its textarea. */
export interface EditorOptions {
  /** Buttons in their order, `'separator'` between groups; an empty list shows none. */
  readonly toolbar?: readonly ToolbarItem[]
  /** Where files are posted; without it none are taken. */
  readonly uploadUrl?: string
  /** Where the text is posted before the form is sent. */
  readonly finalizeUrl?: string
  /** What URLs of temporary files begin with. */
  readonly tempUrl?: string
  /** Media types for the file chooser. */
  readonly uploadTypes?: readonly string[]
  /** The largest file that may be uploaded, in bytes. */
  readonly maxUploadSize?: number
  /** Hosts that the preview may frame. */
  readonly embedHosts?: readonly string[]
  /** Languages whose code the preview highlights. */
  readonly highlightLanguages?: readonly string[]
  /** What else the server's renderer was given. */
  readonly renderOptions?: Omit<PreviewOptions, 'embedHosts'>
  /** URL of a script of this origin that renders the preview (`servePreview`). */
  readonly previewWorker?: string
  /** Whether published pages may look different from the preview, which then says so. */
  readonly previewDiffers?: boolean
  /** A CSS length, or a number of pixels. */
  readonly height?: string | number
  readonly theme?: Theme
  /** A language tag for the words of the editor. */
  readonly locale?: string
  readonly surface?: SurfaceChoice
  /** What is shown: the text, both, or the preview. What the user chooses afterwards does not change it. */
  readonly mode?: Mode
  /**
   * Names what is written, so that drafts are kept; without it none are. Where it changes, the editor starts anew, with the
   * drafts of the new name.
   */
  readonly draft?: string
  /** Whose drafts they are: an id that says nothing to others. */
  readonly draftUser?: string
  /** How long drafts are kept, in seconds. */
  readonly draftMaxAge?: number
}

type Writers = {
  readonly [Name in keyof Required<EditorOptions>]: readonly [string, (value: never) => string]
}

const words = (list: readonly string[]): string => list.join(' ')

// The attribute of each option, and how it is written.
const WRITERS: Writers = {
  toolbar: ['toolbar', formatToolbar],
  uploadUrl: ['upload-url', String],
  finalizeUrl: ['finalize-url', String],
  tempUrl: ['temp-url', String],
  uploadTypes: ['upload-types', words],
  maxUploadSize: ['max-upload-size', String],
  embedHosts: ['embed-hosts', words],
  highlightLanguages: ['highlight-languages', words],
  renderOptions: ['render-options', (value: object) => JSON.stringify(value)],
  previewWorker: ['preview-worker', String],
  previewDiffers: ['preview-differs', () => ''],
  height: ['height', (value: string | number) => toCssLength(value) ?? ''],
  theme: ['theme', String],
  locale: ['locale', String],
  surface: ['surface', String],
  mode: ['mode', String],
  draft: ['draft', String],
  draftUser: ['draft-user', String],
  draftMaxAge: ['draft-max-age', String],
}

/**
 * Parts properties into the attributes of `<markdown-editor>` and what is left, which is the textarea's.
 *
 * @example
 * splitProperties({ uploadUrl: '/md-editor/upload', rows: 12 })
 * // { host: { 'upload-url': '/md-editor/upload' }, rest: { rows: 12 } }
 */
export function splitProperties(properties: object): {
  host: Record<string, string>
  rest: Record<string, unknown>
} {
  const host: Record<string, string> = {}
  const rest: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(properties)) {
    if (!Object.hasOwn(WRITERS, name)) rest[name] = value
    else if (value !== undefined && value !== null && value !== false) {
      const [attribute, write] = WRITERS[name as keyof Writers]
      host[attribute] = write(value as never)
    }
  }
  return { host, rest }
}
