import { escapeHtml } from '@quillgate/server/core'
import { NO_ASSETS, type WidgetAssets } from './assets.ts'
import { type Attributes, mergeAttributes, renderAttributes } from './attributes.ts'

/** A widget that displays one field of a form. */
export interface FormWidget {
  /** The scripts and style sheets that the page must load. `renderAssets` writes their tags. */
  readonly assets: WidgetAssets
  /** Returns the field as HTML. @param attrs attributes of the control */
  render(name: string, value: unknown, attrs?: Attributes | null): string
}

/** Submitted form data: a `FormData`, a `URLSearchParams`, or an object such as a parsed body. */
export type SubmittedData = { get(name: string): unknown } | Readonly<Record<string, unknown>>

/**
 * A multi-line text field.
 *
 * @example
 * new Textarea({ rows: 4 }).render('bio', 'Hello', { required: true })
 * // <textarea name="bio" id="id_bio" cols="40" rows="4" required>
 * // Hello</textarea>
 */
export class Textarea implements FormWidget {
  /** The attributes of the constructor. The attributes of a `render` call override them. */
  readonly attrs: Attributes

  /** @throws ConfigurationError for an attribute name that HTML does not allow */
  constructor(attrs?: Attributes | null) {
    this.attrs = mergeAttributes(attrs)
  }

  get assets(): WidgetAssets {
    return NO_ASSETS
  }

  /**
   * Returns the field as HTML. `attrs` overrides the constructor's attributes, but not the name.
   */
  render(name: string, value: unknown, attrs?: Attributes | null): string {
    // HTML parsers drop a line feed after the start tag. Adds a line feed there, so that parsers
    // keep a line feed at the start of the value.
    return `<textarea${renderAttributes(this.attributesOf(name, attrs))}>\n${escapeHtml(toText(value))}</textarea>`
  }

  /**
   * Returns the value of the field in submitted data. If the value is missing or not a string,
   * returns null.
   *
   * @example
   * widget.valueFrom(await request.formData(), 'body')
   */
  valueFrom(data: SubmittedData, name: string): string | null {
    const value = isGettable(data) ? data.get(name) : Object.hasOwn(data, name) ? data[name] : null
    return typeof value === 'string' ? value : null
  }

  /** Returns all attributes. `attrs` and `this.attrs` override `defaults`. Classes are combined. */
  protected attributesOf(
    name: string,
    attrs?: Attributes | null,
    defaults?: Attributes,
  ): Attributes {
    const own = { name, id: idOf(name), cols: 40, rows: 10 }
    return { ...mergeAttributes(own, defaults, this.attrs, attrs), name }
  }
}

function toText(value: unknown): string {
  return value === null || value === undefined ? '' : String(value)
}

function isGettable(data: SubmittedData): data is { get(name: string): unknown } {
  return typeof data['get'] === 'function'
}

function idOf(name: string): string {
  return `id_${name.replace(/\s+/g, '_')}`
}

/**
 * A form field with an `<input>`.
 *
 * @example
 * new Input('email').render('email', 'ada@example.org') // <input type="email" name="email" id="id_email" value="…">
 */
export class Input implements FormWidget {
  readonly type: string
  readonly assets: WidgetAssets = NO_ASSETS

  /** @param type the type of the `<input>` */
  constructor(type: string) {
    this.type = type
  }

  render(name: string, value: unknown, attrs?: Attributes | null): string {
    const own = {
      type: this.type,
      name,
      id: idOf(name),
      ...this.#state(value),
    }
    return `<input${renderAttributes({ ...mergeAttributes(own, attrs), name })}>`
  }

  #state(value: unknown): Attributes {
    if (this.type === 'checkbox') return { checked: Boolean(value) }
    return { value: value === null || value === undefined ? null : String(value) }
  }
}
