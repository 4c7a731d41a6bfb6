import { checkedElsewhere, checkOptions, type OptionChecks } from '@quillgate/server/core'
import { assetBaseOf } from '../client-assets.ts'
import type { Mode, SurfaceChoice, Theme } from '../contract/choices.ts'
import { DEFAULT_TOOLBAR, formatToolbar, type ToolbarItem } from '../contract/toolbar.ts'
import type { PreviewOptions } from '../rendering/preview-options.ts'
import { type Attributes, renderAttributes } from './attributes.ts'
import {
  checkHeight,
  checkLocale,
  checkMode,
  checkSurface,
  checkTheme,
  checkToolbar,
  mustBeAttributesOrNull,
  mustBeEditorOrNull,
  mustBeTextOrNull,
} from './check-options.ts'
import { draftAttributes, type WidgetDraft } from './draft.ts'
import type { WidgetMedia } from './media.ts'
import { Textarea } from './textarea.ts'

/** What a widget takes from the editor's settings when an option is not given. */
export interface WidgetDefaults {
  readonly toolbar: readonly ToolbarItem[]
  readonly uploadUrl: string
  readonly finalizeUrl: string
  /** A CSS length, or a number of pixels. */
  readonly height: string | number
  readonly placeholder: string
  readonly theme: Theme
  /** What the URLs of temporary files begin with: the element finalizes texts in which it occurs. */
  readonly tempUrl: string
  /** Media types that may be uploaded, for the file chooser; null lets it show every file. */
  readonly uploadTypes: readonly string[] | null
  /** Most bytes of a file that may be uploaded, so that the element need not try; null when it does not know. */
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
  /** Language of the editor's own words, a BCP 47 tag. */
  readonly locale: string
  /** Where `markdown-editor.js` and `markdown-editor.css` are served, with a final slash. */
  readonly assetBase: string
}

/** An editor, as a widget needs it. */
export interface WidgetSource {
  readonly widgetDefaults: WidgetDefaults
}

/** The defaults of a widget without an editor: those of an editor without settings, at its default `basePath`. */
export const WIDGET_DEFAULTS: WidgetDefaults = {
  toolbar: DEFAULT_TOOLBAR,
  uploadUrl: '/md-editor/upload',
  finalizeUrl: '/md-editor/finalize',
  height: '300px',
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
  locale: 'en',
  get assetBase() {
    return assetBaseOf('/md-editor')
  },
}

/** Options of a {@link MarkdownEditorWidget}. Null and undefined mean the setting. */
export interface MarkdownEditorWidgetOptions {
  /**
   * The editor whose settings and URLs the widget uses; `editor.widget()` gives itself. Without it the widget uses the
   * default settings, which fit only an editor without `basePath` and settings of its own.
   */
  readonly editor?: WidgetSource | null
  /** Buttons in their order, `'separator'` between groups; an empty list shows no buttons. */
  readonly toolbar?: readonly ToolbarItem[] | null
  /** Where the element posts files. */
  readonly uploadUrl?: string | null
  /** Where the element posts the text before the form is sent. */
  readonly finalizeUrl?: string | null
  /** Height of the writing area: a CSS length or a number of pixels; `''` means the setting. */
  readonly height?: string | number | null
  /** Shown while the field is empty; `''` shows nothing. */
  readonly placeholder?: string | null
  /** URL of a script of this origin that renders the preview with an own renderer, by `servePreview`. */
  readonly previewWorker?: string | null
  /** Where one writes; `auto` when it is not given. */
  readonly surface?: SurfaceChoice | null
  /** What is shown at first; `write` when it is not given. */
  readonly mode?: Mode | null
  /** Keeps drafts in the browser under this key, or key and user; without it none are kept. */
  readonly draft?: WidgetDraft | string | null
  /** Language of the editor's own words, a BCP 47 tag such as the reader's: `de`, `en` and `fr` are there. */
  readonly locale?: string | null
  /** More attributes of the textarea. */
  readonly attrs?: Attributes | null
}

const CHECKS: OptionChecks<MarkdownEditorWidgetOptions> = {
  editor: mustBeEditorOrNull,
  toolbar: checkedElsewhere,
  uploadUrl: mustBeTextOrNull,
  finalizeUrl: mustBeTextOrNull,
  height: checkedElsewhere,
  placeholder: mustBeTextOrNull,
  previewWorker: mustBeTextOrNull,
  surface: checkedElsewhere,
  mode: checkedElsewhere,
  draft: checkedElsewhere,
  locale: checkedElsewhere,
  attrs: mustBeAttributesOrNull,
}

/**
 * A markdown field: a `<textarea>` inside `<markdown-editor>`. Without JavaScript it is that textarea. The element's
 * attributes are its configuration, so the page needs neither inline scripts nor inline styles.
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
  readonly #draft: Attributes
  readonly #defaults: WidgetDefaults

  /**
   * @param options see {@link MarkdownEditorWidgetOptions}
   * @throws ConfigurationError for an option that does not exist, an unknown toolbar name, a height that is no length,
   *   an unknown theme, surface or mode, a key of drafts with white space, a locale that is no language tag
   */
  constructor(options: MarkdownEditorWidgetOptions = {}) {
    checkOptions(options, CHECKS, [], 'widget')
    super(options.attrs)
    const defaults = options.editor?.widgetDefaults ?? WIDGET_DEFAULTS
    this.toolbar = checkToolbar(options.toolbar ?? defaults.toolbar)
    this.uploadUrl = options.uploadUrl ?? defaults.uploadUrl
    this.finalizeUrl = options.finalizeUrl ?? defaults.finalizeUrl
    this.height = checkHeight(
      options.height === '' ? defaults.height : (options.height ?? defaults.height),
    )
    this.placeholder = options.placeholder ?? null
    this.previewWorker = options.previewWorker ?? null
    this.surface = checkSurface(options.surface ?? null)
    this.mode = checkMode(options.mode ?? null)
    this.locale = checkLocale(options.locale ?? defaults.locale)
    this.#draft = draftAttributes(options.draft ?? null, defaults.tempMaxAge)
    this.#defaults = { ...defaults, theme: checkTheme(defaults.theme) }
  }

  /** The script and the style sheet that the page must load, once for all widgets: see `renderMedia`. */
  override get media(): WidgetMedia {
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
    return {
      class: 'md-editor',
      toolbar: formatToolbar(this.toolbar),
      'upload-url': this.uploadUrl,
      'finalize-url': this.finalizeUrl,
      'temp-url': tempUrl,
      'upload-types': uploadTypes?.join(' '),
      'max-upload-size': maxUploadSize,
      'embed-hosts': embedHosts?.join(' '),
      'highlight-languages': highlightLanguages?.join(' '),
      'render-options': renderOptions === null ? null : JSON.stringify(renderOptions),
      'preview-worker': this.previewWorker,
      'preview-differs': previewDiffers && this.previewWorker === null,
      surface: this.surface,
      mode: this.mode,
      ...this.#draft,
      locale: this.locale === 'en' ? null : this.locale,
      height: this.height,
      theme,
    }
  }
}

/** Rows of about the same height, for the page without JavaScript: 1.6 × 16 px each, and 24 px of padding. */
function rowsFor(height: string): number {
  const [, amount = '', unit = ''] = /^([\d.]+)(px|r?em)$/i.exec(height) ?? []
  if (amount === '') return 10
  const pixels = Number(amount) * (unit.toLowerCase() === 'px' ? 1 : 16)
  return Math.max(2, Math.floor((pixels - 24) / 25.6))
}
