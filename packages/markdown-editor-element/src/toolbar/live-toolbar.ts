import {
  DEFAULT_TOOLBAR,
  formatToolbar,
  isToolbarItem,
  parseToolbar,
  TOOLBAR_BUTTONS,
  type ToolbarItem,
} from '../contract/toolbar.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { Toolbar } from './toolbar.ts'

/** The default toolbar as it is shown: what is used most comes first. */
const ARRANGED = parseToolbar(
  'bold italic heading quote | link image code | unordered-list ordered-list task-list | ' +
    'table code-block | strikethrough highlight superscript subscript | ' +
    'video document embed details horizontal-rule | undo redo',
)

type Press = ConstructorParameters<typeof Toolbar>[2]

/** The toolbar of an editor, as its element and its field ask for it now. */
export class LiveToolbar {
  readonly #context: EditorContext
  readonly #onPress: Press
  #toolbar: Toolbar
  #pressed: ReadonlySet<string> = new Set()

  /** @param onPress hears which button was pressed */
  constructor(context: EditorContext, onPress: Press) {
    this.#context = context
    this.#onPress = onPress
    this.#toolbar = this.#create()
    const { signal, textarea } = context
    const observer = new MutationObserver(() =>
      this.#toolbar.setDisabled(!context.surface.editable),
    )
    observer.observe(textarea, { attributeFilter: ['disabled', 'readonly'] })
    signal.addEventListener('abort', () => observer.disconnect())
  }

  /** The current element; {@link update} replaces it. */
  get element(): HTMLElement {
    return this.#toolbar.element
  }

  /** Follows the attributes of the element. */
  update(): void {
    const toolbar = this.#create()
    toolbar.replace(this.#toolbar)
    this.#toolbar = toolbar
  }

  /** Shows which buttons are pressed. */
  setPressed(pressed: ReadonlySet<string>): void {
    this.#pressed = pressed
    this.#toolbar.setPressed(pressed)
  }

  #create(): Toolbar {
    const { host, strings, surface } = this.#context
    const toolbar = new Toolbar(toolbarItems(host), strings, this.#onPress)
    toolbar.setDisabled(!surface.editable)
    toolbar.setPressed(this.#pressed)
    return toolbar
  }
}

/** Reads the attribute `toolbar`. Unknown names are reported as an error and left out. */
function toolbarItems(host: HTMLElement): readonly ToolbarItem[] {
  const attribute = host.getAttribute('toolbar')
  const isDefault = attribute === null || attribute === formatToolbar(DEFAULT_TOOLBAR)
  const names = isDefault ? ARRANGED : parseToolbar(attribute)
  const unknown = names.filter((name) => !isToolbarItem(name))
  if (unknown.length > 0) {
    const known = TOOLBAR_BUTTONS.join(', ')
    reportError(
      new TypeError(
        `toolbar: unknown button ${unknown.join(', ')}. Known are ${known}, and | between groups.`,
      ),
    )
  }
  return names.filter(isToolbarItem)
}
