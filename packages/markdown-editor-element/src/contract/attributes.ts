import type { PreviewOptions } from '@quillgate/markdown/browser'
import { formatToolbar, type ToolbarItem } from './toolbar.ts'

/** The views of an editor, in the order of their tabs. */
export const MODES = ['write', 'split', 'preview'] as const

/** The allowed values of options that have a fixed set of values. */
export const CHOICES = {
  surface: ['auto', 'native', 'codemirror'],
  mode: MODES,
  theme: ['auto', 'light', 'dark'],
} as const

/** The writing area: the textarea (`native`), CodeMirror, or CodeMirror for long texts (`auto`). */
export type SurfaceChoice = (typeof CHOICES.surface)[number]

/** The view of an editor: the text (`write`), the preview, or both side by side (`split`). */
export type Mode = (typeof MODES)[number]

/** The colors: light, dark, or those of the system (`auto`). */
export type Theme = (typeof CHOICES.theme)[number]

/** The options: attributes of `<markdown-editor>` and properties of the React component. */
export interface EditorOptions {
  /** The buttons in order, with `'separator'` between groups. An empty list shows no buttons. */
  readonly toolbar?: readonly ToolbarItem[] | undefined
  /** The URL that receives uploads; without it, the editor accepts no files. */
  readonly uploadUrl?: string | undefined
  /** The URL that receives the text before the form is sent, to make temporary files permanent. */
  readonly finalizeUrl?: string | undefined
  /** The prefix of the URLs of temporary files. */
  readonly tempUrl?: string | undefined
  /** The media types that may be uploaded. */
  readonly uploadTypes?: readonly string[] | undefined
  /** The maximum size of a file, in bytes. */
  readonly maxUploadSize?: number | undefined
  /** The hosts whose pages the preview may show in a frame. */
  readonly embedHosts?: readonly string[] | undefined
  /** The languages whose code the preview highlights. */
  readonly highlightLanguages?: readonly string[] | undefined
  /** The remaining options of the server's renderer, so that the preview looks the same. */
  readonly renderOptions?: Omit<PreviewOptions, 'embedHosts'> | undefined
  /**
   * The URL of a script that renders the preview with `servePreview`. The script must have the same
   * origin as the page.
   */
  readonly previewWorker?: string | undefined
  /** True if published pages may look different from the preview. The preview then shows a note. */
  readonly previewDiffers?: boolean | undefined
  /** The height of the editor: a CSS length, or a number of pixels. */
  readonly height?: string | number | undefined
  readonly theme?: Theme | undefined
  /** The language tag of the editor's user interface. */
  readonly locale?: string | undefined
  readonly surface?: SurfaceChoice | undefined
  /** The view that the editor opens with. */
  readonly mode?: Mode | undefined
  /**
   * The key under which drafts of the text are stored; without it, no drafts are kept. A change
   * restarts the editor.
   */
  readonly draft?: string | undefined
  /** An opaque id of the user who owns the drafts. */
  readonly draftUser?: string | undefined
  /** How long drafts are kept, in seconds. */
  readonly draftMaxAge?: number | undefined
  /** The names of other form fields whose values drafts keep, such as `title`. */
  readonly draftFields?: readonly string[] | undefined
}

type Declarations = {
  readonly [Name in keyof Required<EditorOptions>]: {
    readonly attribute: string
    readonly write: (value: Exclude<EditorOptions[Name], undefined>) => string
  }
}

const words = (list: readonly string[]): string => list.join(' ')

const ATTRIBUTES = {
  toolbar: { attribute: 'toolbar', write: formatToolbar },
  uploadUrl: { attribute: 'upload-url', write: String },
  finalizeUrl: { attribute: 'finalize-url', write: String },
  tempUrl: { attribute: 'temp-url', write: String },
  uploadTypes: { attribute: 'upload-types', write: words },
  maxUploadSize: { attribute: 'max-upload-size', write: String },
  embedHosts: { attribute: 'embed-hosts', write: words },
  highlightLanguages: { attribute: 'highlight-languages', write: words },
  renderOptions: { attribute: 'render-options', write: (value: object) => JSON.stringify(value) },
  previewWorker: { attribute: 'preview-worker', write: String },
  previewDiffers: { attribute: 'preview-differs', write: () => '' },
  surface: { attribute: 'surface', write: String },
  mode: { attribute: 'mode', write: String },
  draft: { attribute: 'draft', write: String },
  draftUser: { attribute: 'draft-user', write: String },
  draftMaxAge: { attribute: 'draft-max-age', write: String },
  draftFields: { attribute: 'draft-fields', write: words },
  locale: { attribute: 'locale', write: String },
  height: { attribute: 'height', write: (value: string | number) => toCssLength(value) ?? '' },
  theme: { attribute: 'theme', write: String },
} as const satisfies Declarations

/** The name of an attribute that contains an option. */
export type EditorAttribute = (typeof ATTRIBUTES)[keyof EditorOptions]['attribute']

/** Returns whether a name is the name of an option. */
export function isEditorOption(name: string): name is keyof EditorOptions {
  return Object.hasOwn(ATTRIBUTES, name)
}

/**
 * Returns the attributes of `<markdown-editor>` for options. Omits options that are null, undefined
 * or false.
 *
 * @example
 * writeAttributes({ uploadUrl: '/md-editor/upload' }) // { 'upload-url': '/md-editor/upload' }
 */
export function writeAttributes(
  options: {
    readonly [Name in keyof EditorOptions]: EditorOptions[Name] | null
  },
): Record<string, string> {
  const attributes: Record<string, string> = {}
  for (const [name, { attribute, write }] of Object.entries(ATTRIBUTES)) {
    const value = options[name as keyof EditorOptions]
    if (value !== undefined && value !== null && value !== false)
      attributes[attribute] = write(value as never)
  }
  return attributes
}

const LENGTH = /^(?:0|\d+(?:\.\d+)?(?:px|r?em|ex|ch|r?lh|[sld]?v(?:h|w|min|max)|cm|mm|in|pt|pc))$/i

/** Returns a CSS length, or null. Numbers are pixels. Rejects a value that contains other CSS. */
export function toCssLength(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? `${value}px` : null
  if (typeof value !== 'string') return null
  const length = value.trim()
  return LENGTH.test(length) ? length : null
}
