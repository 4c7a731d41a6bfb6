import { escapeHtml } from '@quillgate/server/core'
import { NO_ASSETS, type WidgetAssets } from './assets.ts'
import { type Attributes, mergeAttributes, renderAttributes } from './attributes.ts'

/** Something that shows one field of a form. */
export interface FormWidget {
  /** The scripts and style sheets that its page must load; `renderAssets` writes their tags. */
  readonly assets: WidgetAssets
  /**
   * Returns the field as HTML.
   *
   * @param name the field's name in the form
   * @param value its value; null and undefined are empty
   * @param attrs more attributes of the control
   */
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
  /** The attributes that each rendered field has, before those of a `render` call. */
  readonly attrs: Attributes

  /**
   * @param attrs attributes of the field; they win over the defaults `cols="40" rows="10"`
   * @throws ConfigurationError for an attribute name that HTML does not allow
   */
  constructor(attrs?: Attributes | null) {
    this.attrs = mergeAttributes(attrs)
  }

  /** A textarea needs neither scripts nor style sheets. */
  get assets(): WidgetAssets {
    return NO_ASSETS
  }

  /**
   * Returns the field as HTML. `attrs` wins over the attributes given at construction; the name
   * always is `name`. The field has an id: that of the attributes, or `id_` and the name.
   *
   * @throws ConfigurationError for an attribute name that HTML does not allow
   */
  render(name: string, value: unknown, attrs?: Attributes | null): string {
    // HTML drops a line feed after the start tag, which must not be one of the value.
    return `<textarea${renderAttributes(this.attributesOf(name, attrs))}>\n${escapeHtml(toText(value))}</textarea>`
  }

  /**
   * Returns the field's value in submitted data, or null when it is missing or not a text.
   *
   * @example
   * widget.valueFrom(await request.formData(), 'body')
   */
  valueFrom(data: SubmittedData, name: string): string | null {
    const value = isGettable(data) ? data.get(name) : Object.hasOwn(data, name) ? data[name] : null
    return typeof value === 'string' ? value : null
  }

  /** Returns all attributes of the field. The caller's win over `defaults`; classes add up. */
  protected attributesOf(
    name: string,
    attrs?: Attributes | null,
    defaults?: Attributes,
  ): Attributes {
    const own = { name, id: `id_${name.replace(/\s+/g, '_')}`, cols: 40, rows: 10 }
    return { ...mergeAttributes(own, defaults, this.attrs, attrs), name }
  }
}

function toText(value: unknown): string {
  return value === null || value === undefined ? '' : String(value)
}

function isGettable(data: SubmittedData): data is { get(name: string): unknown } {
  return typeof data['get'] === 'function'
}
