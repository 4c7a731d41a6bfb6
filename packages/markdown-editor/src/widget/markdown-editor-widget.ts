import {
  CHOICES,
  type Mode,
  type SurfaceChoice,
  type ToolbarItem,
  toCssLength,
  writeAttributes,
} from '@quillgate/markdown-editor-element/contract'
import { checks, field, type Input, Problem, parse, required } from '@quillgate/server/core'
import { locale, toolbarItem } from '../settings.ts'
import type { WidgetAssets } from './assets.ts'
import { type Attributes, renderAttributes } from './attributes.ts'
import { type DraftOptions, draftOptions, type WidgetDraft } from './draft.ts'
import { renderFileInput } from './file-input.ts'
import { Textarea } from './textarea.ts'
import { WIDGET_DEFAULTS, type WidgetDefaults, type WidgetSource } from './widget-defaults.ts'

const WIDGET_OPTIONS = {
  /**
   * The editor whose settings and URLs the widget uses; `editor.widget()` gives itself. Without it,
   * the widget uses the default settings, which fit only an editor without `basePath` and settings
   * of its own.
   */
  editor: field(checks.orNull(source), null),
  /** Buttons in their order, `'separator'` between groups; an empty list shows no buttons. */
  toolbar: field(checks.orNull(checks.listOf(toolbarItem)), null),
  /** Where the element posts files. */
  uploadUrl: field(checks.orNull(checks.text), null),
  /** Where the element posts the text before the form is sent. */
  finalizeUrl: field(checks.orNull(checks.text), null),
  /** Height of the writing area: a CSS length or a number of pixels; `''` means the setting. */
  height: field(checks.orNull(height), null),
  /** Shown while the field is empty; `''` shows nothing. */
  placeholder: field(checks.orNull(checks.text), null),
  /** URL of a script of this origin that renders the preview by `servePreview`. */
  previewWorker: field(checks.orNull(checks.text), null),
  /** The kind of writing area; by default `auto`. */
  surface: field(checks.orNull(checks.oneOf(CHOICES.surface)), null),
  /** The first mode; by default `write`. */
  mode: field(checks.orNull(checks.oneOf(CHOICES.mode)), null),
  /** Keeps drafts in the browser under this key, or key and user; without it, none are kept. */
  draft: field(checks.orNull(checks.anything<WidgetDraft | string>()), null),
  /** Language of the editor's own words, a BCP 47 tag: `de`, `en` and `fr` exist. */
  locale: field(checks.orNull(locale), null),
  /**
   * Renders a file input for pages without JavaScript. The form must be `multipart/form-data`, and
   * the application must read it by `editor.readForm`.
   */
  fileInput: field(checks.boolean, false),
  /** More attributes of the textarea. */
  attrs: field(checks.orNull(attributes), null),
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
  readonly fileInput: boolean
  readonly #draft: DraftOptions
  readonly #defaults: WidgetDefaults

  /** @throws ConfigurationError for an unknown option or a wrong value */
  constructor(options: MarkdownEditorWidgetOptions = {}) {
    const given = parse(WIDGET_OPTIONS, options, 'widget')
    super(given.attrs)
    const defaults = given.editor?.widgetDefaults ?? WIDGET_DEFAULTS
    parse({ theme: required(checks.oneOf(CHOICES.theme)) }, { theme: defaults.theme }, 'widget')
    this.toolbar = given.toolbar ?? defaults.toolbar ?? []
    this.uploadUrl = given.uploadUrl ?? defaults.uploadUrl ?? ''
    this.finalizeUrl = given.finalizeUrl ?? defaults.finalizeUrl ?? ''
    this.height = toCssLength(given.height || defaults.height) ?? '300px'
    this.placeholder = given.placeholder
    this.previewWorker = given.previewWorker
    this.surface = given.surface
    this.mode = given.mode
    this.locale = given.locale ?? 'en'
    this.fileInput = given.fileInput
    this.#draft = draftOptions(given.draft, defaults.tempMaxAge)
    this.#defaults = defaults
  }

  /** The script and the style sheet that the page must load, once for all widgets: `renderAssets`. */
  override get assets(): WidgetAssets {
    const { assetBase } = this.#defaults
    return { css: [`${assetBase}markdown-editor.css`], js: [`${assetBase}markdown-editor.js`] }
  }

  override render(name: string, value: unknown, attrs?: Attributes | null): string {
    const { toolbar, uploadUrl, finalizeUrl, height, previewWorker, surface, mode } = this
    const configuration = writeAttributes({
      ...this.#defaults,
      ...{ toolbar, uploadUrl, finalizeUrl, height, previewWorker, surface, mode },
      ...this.#draft,
      previewDiffers: this.#defaults.previewDiffers && previewWorker === null,
      locale: this.locale === 'en' ? null : this.locale,
    })
    const start = `<markdown-editor${renderAttributes({ class: 'md-editor', ...configuration })}>`
    const { uploadTypes } = this.#defaults
    const files = this.fileInput ? renderFileInput(name, uploadTypes, this.locale) : ''
    return `${start}${super.render(name, value, attrs)}${files}</markdown-editor>`
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
}

/**
 * Returns the rows of about the same height, for the page without JavaScript: 1.6 × 16 px each, and
 * 24 px of padding.
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
