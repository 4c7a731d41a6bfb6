import { NO_ASSETS, type WidgetAssets } from './assets.ts'
import { type Attributes, mergeAttributes, renderAttributes } from './attributes.ts'
import type { FormWidget } from './textarea.ts'

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
      id: `id_${name.replace(/\s+/g, '_')}`,
      ...this.#state(value),
    }
    return `<input${renderAttributes({ ...mergeAttributes(own, attrs), name })}>`
  }

  #state(value: unknown): Attributes {
    if (this.type === 'checkbox') return { checked: Boolean(value) }
    return { value: value === null || value === undefined ? null : String(value) }
  }
}
