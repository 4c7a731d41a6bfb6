import { type FormWidget, Input, Textarea } from '../widget/textarea.ts'

/** A field of a model on an admin page. */
export interface AdminField {
  readonly name: string
  /** The type of the value. `text` is long text, and `string` is short text on one line. */
  readonly type: 'text' | 'string' | 'number' | 'boolean' | 'date' | 'datetime'
}

const INPUT_TYPES = {
  string: 'text',
  number: 'number',
  boolean: 'checkbox',
  date: 'date',
  datetime: 'datetime-local',
} as const

/** The base class of admins. An admin selects the widget for each field of a model. */
export class ModelAdmin {
  /**
   * Returns the widget for a field: a {@link Textarea} for long text, or an {@link Input} for any
   * other type.
   */
  formFieldFor(field: AdminField): FormWidget {
    return field.type === 'text' ? new Textarea() : new Input(INPUT_TYPES[field.type])
  }

  /**
   * Returns the widgets for all fields of a form, by field name.
   *
   * @example
   * const widgets = new PostAdmin().formFieldsFor(fields)
   * const head = renderAssets(...[...widgets.values()].map(({ assets }) => assets))
   */
  formFieldsFor(fields: readonly AdminField[]): Map<string, FormWidget> {
    return new Map(fields.map((field) => [field.name, this.formFieldFor(field)]))
  }
}
