import { Input } from '../widget/input.ts'
import { type FormWidget, Textarea } from '../widget/textarea.ts'

/** A field of a model, as an admin page sees it. */
export interface AdminField {
  readonly name: string
  /** `text` is long text; `string` is short, on one line. */
  readonly type: 'text' | 'string' | 'number' | 'boolean' | 'date' | 'datetime'
}

const INPUT_TYPES = {
  string: 'text',
  number: 'number',
  boolean: 'checkbox',
  date: 'date',
  datetime: 'datetime-local',
} as const

/** The base of admin classes: says which widget edits which field of a model. */
export class ModelAdmin {
  /**
   * The widget for a field: a {@link Textarea} for long text, an {@link Input} for everything else.
   */
  formFieldFor(field: AdminField): FormWidget {
    return field.type === 'text' ? new Textarea() : new Input(INPUT_TYPES[field.type])
  }

  /**
   * The widgets for all fields of a form, by the fields' names.
   *
   * @example
   * const widgets = new PostAdmin().formFieldsFor(fields)
   * const head = renderAssets(...[...widgets.values()].map(({ assets }) => assets))
   */
  formFieldsFor(fields: readonly AdminField[]): Map<string, FormWidget> {
    return new Map(fields.map((field) => [field.name, this.formFieldFor(field)]))
  }
}
