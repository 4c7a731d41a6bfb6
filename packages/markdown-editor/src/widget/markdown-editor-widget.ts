import type { PreviewOptions } from '@quillgate/markdown'
import {
  CHOICES,
  DEFAULT_TOOLBAR,
  type Mode,
  type SurfaceChoice,
  type Theme,
  type ToolbarItem,
  toCssLength,
  writeAttributes,
} from '@quillgate/markdown-editor-element/contract'
import {
  anything,
  field,
  type Input,
  listOf,
  oneOf,
  orNull,
  Problem,
  parse,
  required,
  text,
} from '@quillgate/server/core'
import { assetBaseOf } from '../client-assets.ts'
import { locale, toolbarItem } from '../setting-checks.ts'
import type { WidgetAssets } from './assets.ts'
import { type Attributes, renderAttributes } from './attributes.ts'
import { type DraftOptions, draftOptions, type WidgetDraft } from './draft.ts'
import { Textarea } from './textarea.ts'

/** Defaults of a widget, from the editor's settings. */
export interface WidgetDefaults {
  readonly toolbar: readonly ToolbarItem[]
  readonly uploadUrl: string
  readonly finalizeUrl: string
  /** A CSS length, or a number of pixels. */
  readonly height: string | number
  readonly placeholder: string
  readonly theme: Theme
  /** The start of the URLs of temporary files. The element finalizes texts that contain it. */
  readonly tempUrl: string
  /** Media types that may be uploaded, for the file chooser; null lets it show every file. */
  readonly uploadTypes: readonly string[] | null
  /**
   * Most bytes of a file that may be uploaded, so that the element need not try; null when it does
   * not know.
   */
  readonly maxUploadSize: number | null
  /** Host names that the preview may frame; null: those of the default policy. */
  readonly embedHosts: readonly string[] | null
  /** Languages that the preview highlights; null when the server highlights none. */
  readonly highlightLanguages: readonly string[] | null
  /** Further options of the renderer, for the preview; null when all are the defaults. */
  readonly renderOptions: Omit<PreviewOptions, 'embedHosts'> | null
  /** Whether the renderer is not one whose HTML the built-in preview shows. */
  readonly previewDiffers: boolean
  /** How long temporary files are kept, in seconds; drafts no longer. */
  readonly tempMaxAge: number
  /** Where `markdown-editor.js` and `markdown-editor.css` are served, with a final slash. */
  readonly assetBase: string
}

/** An editor, as a widget needs it. */
export interface WidgetSource {
  readonly widgetDefaults: WidgetDefaults
}

const WIDGET_HEIGHT = '300px'

/**
 * The defaults of a widget without an editor: those of an editor without settings, at its default
 * `basePath`.
 */
export const WIDGET_DEFAULTS: WidgetDefaults = {
  toolbar: DEFAULT_TOOLBAR,
  uploadUrl: '/md-editor/upload',
  finalizeUrl: '/md-editor/finalize',
  height: WIDGET_HEIGHT,
  placeholder: 'Add your comment here...',
  theme: 'auto',
  tempUrl: '/media/md-editor/tmp/',
  uploadTypes: null,
  maxUploadSize: null,
  embedHosts: null,
  highlightLanguages: null,
  renderOptions: null,
  previewDiffers: false,
  tempMaxAge: 86_400,
  get assetBase() {
    return assetBaseOf('/md-editor')
  },
}

/** The options of a {@link MarkdownEditorWidget}. Null and undefined mean the setting. */
export const WIDGET_OPTIONS = {
  /**
   * The editor whose settings and URLs the widget uses; `editor.widget()` gives itself. Without it,
   * the widget uses the default settings, which fit only an editor without `basePath` and settings
   * of its own.
   */
  editor: field(orNull(source), null),
  /** Buttons in their order, `'separator'` between groups; an empty list shows no buttons. */
  toolbar: field(orNull(listOf(toolbarItem)), null),
  /** Where the element posts files. */
  uploadUrl: field(orNull(text), null),
  /** Where the element posts the text before the form is sent. */
  finalizeUrl: field(orNull(text), null),
  /** Height of the writing area: a CSS length or a number of pixels; `''` means the setting. */
  height: field(orNull(height), null),
  /** Shown while the field is empty; `''` shows nothing. */
  placeholder: field(orNull(text), null),
  /**
   * URL of a script of this origin that renders the preview with an own renderer, by
   * `servePreview`.
   */
  previewWorker: field(orNull(text), null),
  /** Where one writes; `auto` if it is not given. */
  surface: field(orNull(oneOf(CHOICES.surface)), null),
  /** The first mode; by default `write`. */
  mode: field(orNull(oneOf(CHOICES.mode)), null),
  /** Keeps drafts in the browser under this key, or key and user; without it, none are kept. */
  draft: field(orNull(anything<WidgetDraft | string>()), null),
  /**
   * Language of the editor's own words, a BCP 47 tag such as the reader's: `de`, `en` and `fr`
   * exist.
   */
  locale: field(orNull(locale), null),
  /** More attributes of the textarea. */
  attrs: field(orNull(attributes), null),
}

/** Options of a {@link MarkdownEditorWidget}. Null and undefined mean the setting. */
export type MarkdownEditorWidgetOptions = Input<typeof WIDGET_OPTIONS>

/**
 * A markdown field: a `<textarea>` inside `<markdown-editor>`. Without JavaScript it is that
 * textarea. The element's attributes are its configuration, so the page needs neither inline
 * scripts nor inline styles.
 *
 * @example
 * const widget = editor.widget({ height: '20rem', attrs: { required: true } })
 * const html = widget.render('body', post.body)
 */
export class MarkdownEditorWidget extends Textarea {
  readonly toolbar: readonly ToolbarItem[]
  readonly uploadUrl: string
  readonly finalizeUrl: string
  /** A CSS length. */
  readonly height: string
  /** The `placeholder` option; null when the attributes or the setting decide. */
  readonly placeholder: string | null
  readonly previewWorker: string | null
  readonly surface: SurfaceChoice | null
  readonly mode: Mode | null
  /** A canonical language tag. */
  readonly locale: string
  readonly #draft: DraftOptions
  readonly #defaults: WidgetDefaults

  /**
   * @param options see {@link MarkdownEditorWidgetOptions}
   * @throws ConfigurationError for an option that does not exist, an unknown toolbar name, a height
   * that is no length, an unknown theme, surface or mode, a key of drafts with white space, a
   * locale that is no language tag
   */
  constructor(options: MarkdownEditorWidgetOptions = {}) {
    const given = parse(WIDGET_OPTIONS, options, 'widget')
    super(given.attrs)
    const defaults = given.editor?.widgetDefaults ?? WIDGET_DEFAULTS
    this.toolbar = given.toolbar ?? defaults.toolbar
    this.uploadUrl = given.uploadUrl ?? defaults.uploadUrl
    this.finalizeUrl = given.finalizeUrl ?? defaults.finalizeUrl
    this.height = toCssLength(given.height || defaults.height) ?? WIDGET_HEIGHT
    this.placeholder = given.placeholder
    this.previewWorker = given.previewWorker
    this.surface = given.surface
    this.mode = given.mode
    this.locale = given.locale ?? 'en'
    this.#draft = draftOptions(given.draft, defaults.tempMaxAge)
    parse({ theme: required(oneOf(CHOICES.theme)) }, { theme: defaults.theme }, 'widget')
    this.#defaults = defaults
  }

  /**
   * The script and the style sheet that the page must load, once for all widgets: see
   * `renderAssets`.
   */
  override get assets(): WidgetAssets {
    const { assetBase } = this.#defaults
    return { css: [`${assetBase}markdown-editor.css`], js: [`${assetBase}markdown-editor.js`] }
  }

  override render(name: string, value: unknown, attrs?: Attributes | null): string {
    return `<markdown-editor${renderAttributes(this.#configuration())}>${super.render(name, value, attrs)}</markdown-editor>`
  }

  protected override attributesOf(name: string, attrs?: Attributes | null): Attributes {
    const defaults = {
      class: 'md-editor-textarea',
      placeholder: this.#defaults.placeholder,
      rows: rowsFor(this.height),
    }
    const given = super.attributesOf(name, attrs, defaults)
    return this.placeholder === null ? given : { ...given, placeholder: this.placeholder }
  }

  #configuration(): Attributes {
    const { tempUrl, uploadTypes, maxUploadSize, embedHosts, highlightLanguages } = this.#defaults
    const { renderOptions, previewDiffers, theme } = this.#defaults
    const attributes = writeAttributes({
      toolbar: this.toolbar,
      uploadUrl: this.uploadUrl,
      finalizeUrl: this.finalizeUrl,
      tempUrl,
      uploadTypes,
      maxUploadSize,
      embedHosts,
      highlightLanguages,
      renderOptions,
      previewWorker: this.previewWorker,
      previewDiffers: previewDiffers && this.previewWorker === null,
      surface: this.surface,
      mode: this.mode,
      ...this.#draft,
      locale: this.locale === 'en' ? null : this.locale,
      height: this.height,
      theme,
    })
    return { class: 'md-editor', ...attributes }
  }
}

/**
 * Rows of about the same height, for the page without JavaScript: 1.6 × 16 px each, and 24 px of
 * padding.
 */
function rowsFor(height: string): number {
  const [, amount = '', unit = ''] = /^([\d.]+)(px|r?em)$/i.exec(height) ?? []
  if (amount === '') return 10
  const pixels = Number(amount) * (unit.toLowerCase() === 'px' ? 1 : 16)
  return Math.max(2, Math.floor((pixels - 24) / 25.6))
}

function source(value: unknown): WidgetSource | Problem {
  return typeof value === 'object' && value !== null && 'widgetDefaults' in value
    ? (value as WidgetSource)
    : new Problem('must be what createMarkdownEditor returns', value)
}

function attributes(value: unknown): Attributes | Problem {
  return typeof value === 'object' && !Array.isArray(value)
    ? (value as Attributes)
    : new Problem('must be an object of HTML attributes', value)
}

function height(value: unknown): string | number | Problem {
  const length = value === '' ? '' : toCssLength(value)
  return length ?? new Problem('must be a CSS length or a number of pixels', value)
}
