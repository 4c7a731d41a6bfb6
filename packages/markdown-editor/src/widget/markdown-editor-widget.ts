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
import {
  isWidgetSource,
  NOT_AN_EDITOR,
  WIDGET_DEFAULTS,
  type WidgetDefaults,
  type WidgetSource,
} from './widget-defaults.ts'

const WIDGET_OPTIONS = {
  /** The editor whose settings and URLs the widget uses. `editor.widget()` sets it. */
  editor: field(checks.orNull(source), null),
  /** Buttons of the toolbar, with `'separator'` between groups. An empty list means no toolbar. */
  toolbar: field(checks.orNull(checks.listOf(toolbarItem)), null),
  /** URL to which the element posts files. */
  uploadUrl: field(checks.orNull(checks.text), null),
  /** URL to which the element posts the text before the form is submitted. */
  finalizeUrl: field(checks.orNull(checks.text), null),
  /** A CSS length or a number of pixels. `''` means the setting of the editor. */
  height: field(checks.orNull(height), null),
  /** Text in an empty field. `''` means no text. */
  placeholder: field(checks.orNull(checks.text), null),
  /** URL of a script on the page's origin that renders the preview with `servePreview`. */
  previewWorker: field(checks.orNull(checks.text), null),
  /** The kind of writing area. The default is `auto`. */
  surface: field(checks.orNull(checks.oneOf(CHOICES.surface)), null),
  /** The initial mode. The default is `write`. */
  mode: field(checks.orNull(checks.oneOf(CHOICES.mode)), null),
  /** Keeps drafts in the browser. The value is a key, or an object with a key and options. */
  draft: field(checks.orNull(checks.anything<WidgetDraft | string>()), null),
  /** The language as a BCP 47 tag. Translations exist for `de`, `en` and `fr`. */
  locale: field(checks.orNull(locale), null),
  /** If true, adds a file input for pages without JavaScript. See `editor.readForm`. */
  fileInput: field(checks.boolean, false),
  /** Further attributes of the textarea. */
  attrs: field(checks.orNull(attributes), null),
}

/**
 * Options of `MarkdownEditorWidget`. If an option is null or undefined, the editor's setting or the
 * default of the option applies.
 */
export type MarkdownEditorWidgetOptions = Input<typeof WIDGET_OPTIONS>

/**
 * A Markdown field: a `<textarea>` inside `<markdown-editor>`. The field also works without
 * JavaScript. The configuration is in attributes, so the page needs no inline scripts or styles.
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
  /** The option `placeholder`. If null, the attributes or the setting determine the placeholder. */
  readonly placeholder: string | null
  readonly previewWorker: string | null
  readonly surface: SurfaceChoice | null
  readonly mode: Mode | null
  /** A canonical language tag. */
  readonly locale: string
  readonly fileInput: boolean
  readonly #draft: DraftOptions
  readonly #defaults: WidgetDefaults

  /** @throws ConfigurationError for an unknown option or an invalid value */
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

  /** The script and style sheet of the widget. `renderAssets` writes their tags. */
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

/** Returns the rows for a height. A row has 25.6 px (1.6 × 16 px). The padding is 24 px. */
function rowsFor(height: string): number {
  const [, amount = '', unit = ''] = /^([\d.]+)(px|r?em)$/i.exec(height) ?? []
  if (amount === '') return 10
  const pixels = Number(amount) * (unit.toLowerCase() === 'px' ? 1 : 16)
  return Math.max(2, Math.floor((pixels - 24) / 25.6))
}

function source(value: unknown): WidgetSource | Problem {
  return isWidgetSource(value) ? value : new Problem(NOT_AN_EDITOR, value)
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
