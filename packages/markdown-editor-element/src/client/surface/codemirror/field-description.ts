import { Compartment, type Extension } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import type { EditorContext } from '../../editor-context.ts'
import { describeField, nameOfField } from './describe-field.ts'

/** What CodeMirror is told of the field that it covers: as long as it does, it follows the field's attributes. */
export class FieldDescription {
  readonly #context: Pick<EditorContext, 'host' | 'textarea'>
  readonly #part = new Compartment()
  readonly #labelled: HTMLLabelElement[] = []
  readonly #observer: MutationObserver

  /** @param view gives the view, once there is one */
  constructor(context: Pick<EditorContext, 'host' | 'textarea'>, view: () => EditorView) {
    this.#context = context
    this.#observer = new MutationObserver(() => {
      view().dispatch({ effects: this.#part.reconfigure(this.#describe()) })
    })
  }

  /** For the state of the view. */
  get extension(): Extension {
    return this.#part.of(this.#describe())
  }

  /** Follows the attributes of the field, and of the fieldsets that disable it. */
  observe(): void {
    const { textarea } = this.#context
    this.#observer.observe(textarea, { attributes: true })
    for (
      let set = textarea.closest('fieldset');
      set !== null;
      set = set.parentElement?.closest('fieldset') ?? null
    ) {
      this.#observer.observe(set, { attributeFilter: ['disabled'] })
    }
  }

  end(): void {
    this.#observer.disconnect()
    for (const label of this.#labelled) label.removeAttribute('id')
  }

  #describe(): Extension {
    const { host, textarea } = this.#context
    const name = nameOfField(textarea, host, (label) => this.#labelled.push(label))
    return describeField(textarea, name)
  }
}
