import {
  DEFAULT_TOOLBAR,
  formatToolbar,
  isToolbarItem,
  parseToolbar,
  TOGGLE_BUTTONS,
  TOOLBAR_BUTTONS,
  type ToolbarButton,
  type ToolbarItem,
} from '../contract/toolbar.ts'
import { createElement } from '../dom/elements.ts'
import { arrowsAlong, hasTouchScreen, itemByKey } from '../dom/key-press.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { createIcon, drawIcon } from '../editor/icons.ts'
import { loadPart, messageOf } from '../i18n/load-part.ts'
import type { EditorStrings } from '../i18n/strings.ts'
import { ariaKeysOf, keysOf, type ShortcutName } from './shortcuts.ts'

/** The maximum number of buttons in the first row. */
const MOST = 12

/** The class of buttons below the first row while all rows are shown. Their names are visible. */
const NAMED = 'md-editor-named'

/**
 * The toolbar. The Tab key stops at one of its buttons, and the arrow keys move between them. Only
 * the first row is always visible. The button "…" shows the others until the focus leaves them.
 */
export class Toolbar {
  readonly element: HTMLDivElement
  readonly #context: EditorContext
  readonly #onPress: (name: ToolbarButton) => void
  readonly #rows: HTMLDivElement = createElement('div', { class: 'md-editor-rows' })
  readonly #more: HTMLButtonElement
  readonly #buttons = new Map<ToolbarButton, HTMLButtonElement>()

  constructor(context: EditorContext, onPress: (name: ToolbarButton) => void) {
    const { signal, strings, textarea } = context
    this.#context = context
    this.#onPress = onPress
    this.element = createElement('div', {
      class: 'md-editor-toolbar',
      role: 'toolbar',
      'aria-keyshortcuts': ariaKeysOf('toolbar'),
      'aria-label': strings.toolbar,
    })
    const toggle = (): void => this.#expand(!this.#isExpanded())
    this.#more = createIconButton(null, strings.more, drawIcon(MORE), toggle, {
      'aria-expanded': 'false',
    })
    this.update()
    this.#listen()
    const observer = new MutationObserver(() => this.show())
    observer.observe(textarea, { attributeFilter: ['disabled', 'readonly'] })
    signal.addEventListener('abort', () => observer.disconnect())
  }

  /** Moves the focus to the button that the Tab key would reach. */
  focus(): void {
    this.element.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
  }

  /** Rebuilds the toolbar. The focus stays on the button with the same name. */
  update(): void {
    const focused = [...this.#buttons].find(([, button]) => button.matches(':focus'))?.[0]
    const items = toolbarItems(this.#context.host)
    this.#buttons.clear()
    this.#rows.replaceChildren()
    for (const item of items) this.#append(item)
    this.element.replaceChildren(...(items.length > 0 ? [this.#rows, this.#more] : []))
    this.show()
    this.#expand()
    const target = focused && this.#buttons.get(focused)
    if (focused !== undefined) this.#moveTo(target ?? this.#list()[0], true)
  }

  /** Shows which buttons are pressed and can be used. The others can still be focused. */
  show(pressed?: ReadonlySet<string>): void {
    const { surface } = this.#context
    for (const [name, button] of this.#buttons) {
      if (pressed && button.ariaPressed !== null) button.ariaPressed = String(pressed.has(name))
      const isStep = name === 'undo' || name === 'redo'
      const isEnabled = surface.editable && (!isStep || surface.can(name))
      button.ariaDisabled = isEnabled ? null : 'true'
    }
  }

  #listen(): void {
    new ResizeObserver(() => this.#expand()).observe(this.#rows)
    this.element.addEventListener('keydown', (event) => this.#onKey(event))
    this.element.addEventListener('focusin', ({ target }) => {
      const button = target as HTMLButtonElement
      this.#moveTo(button)
      if (button !== this.#more) this.#expand(!this.#firstRow().includes(button))
    })
    // Keeps the focus and the selection in the text when a button is clicked.
    this.element.addEventListener('mousedown', (event) => event.preventDefault())
  }

  #append(item: ToolbarItem): void {
    if (item === 'separator') {
      this.#rows.append(createElement('span', { class: 'md-editor-separator' }))
      return
    }
    const press = (): void => {
      if (!this.#context.surface.editable) return
      // Undo and redo are often pressed repeatedly. On a phone, the rows would cover the change.
      const isRepeated = item === 'undo' || item === 'redo'
      const hides = !isRepeated || hasTouchScreen()
      // Hides the rows first, so that the browser then scrolls to the change.
      if (hides && this.#isExpanded()) this.#collapse()
      this.#onPress(item)
    }
    const label = this.#context.strings.buttons[item]
    const button = createIconButton(item, label, createIcon(item), press, {
      'aria-pressed': (TOGGLE_BUTTONS as readonly string[]).includes(item) ? 'false' : null,
      'aria-haspopup': item === 'heading' ? 'menu' : null,
      'data-command': item,
    })
    if (this.#buttons.size === MOST)
      this.#rows.append(createElement('span', { class: 'md-editor-break' }))
    this.#buttons.set(item, button)
    this.#rows.append(button)
  }

  #isExpanded(): boolean {
    return this.#more.ariaExpanded === 'true'
  }

  /** Shows all rows, or only the first. Hidden buttons are hidden from screen readers too. */
  #expand(isExpanded: boolean = this.#isExpanded()): void {
    const opens = isExpanded && !this.#isExpanded()
    const first = this.#firstRow()
    // The buttons of the first row keep their positions. The others get visible names.
    for (const button of this.#buttons.values()) {
      const isFirst = first.includes(button)
      button.classList.toggle(NAMED, isExpanded && !isFirst)
      button.style.visibility = isExpanded || isFirst ? '' : 'hidden'
    }
    this.#more.ariaExpanded = String(isExpanded)
    this.#more.hidden = !isExpanded && first.length === this.#buttons.size
    this.#rows.classList.toggle('md-editor-expanded', isExpanded)
    if (!isExpanded) this.#rows.scrollTop = 0
    const stop = this.element.querySelector<HTMLButtonElement>('[tabindex="0"]')
    if (stop === null || !this.#list().includes(stop))
      this.#moveTo(first[0], stop?.matches(':focus'))
    // The next button after "…" gets the focus, because "…" follows the rows in the page.
    if (opens && this.#more.matches(':focus')) this.#moveTo(this.#list()[first.length + 1], true)
  }

  /** Hides the other rows. If the focus is in the toolbar, moves the focus to the button "…". */
  #collapse(): void {
    this.#moveTo(this.#more, this.element.matches(':focus-within'))
    this.#expand(false)
  }

  #firstRow(): HTMLButtonElement[] {
    const buttons = [...this.#buttons.values()]
    return buttons.filter(({ offsetTop }) => offsetTop === buttons[0]?.offsetTop)
  }

  /** Returns the visible buttons in their order, with "…" at the end of the first row. */
  #list(): HTMLButtonElement[] {
    const all = new Set([...this.#firstRow(), this.#more, ...this.#buttons.values()])
    return [...all].filter(({ hidden, style }) => !hidden && style.visibility === '')
  }

  #moveTo(target: HTMLButtonElement | undefined, focus: boolean = false): void {
    if (target === undefined || !this.#list().includes(target)) return
    for (const button of this.element.querySelectorAll('button'))
      button.tabIndex = button === target ? 0 : -1
    if (focus) target.focus()
  }

  #onKey(event: KeyboardEvent): void {
    const isEscape = event.key === 'Escape'
    if (isEscape) event.preventDefault() // Otherwise, Escape would also end full screen.
    // Tab leaves the toolbar from "…".
    if ((isEscape || event.key === 'Tab') && this.#isExpanded()) this.#collapse()
    else if (isEscape) this.#context.surface.focus()
    const current = event.target as HTMLButtonElement
    if (event.key === 'ArrowDown' && current === this.#more) this.#expand(true)
    const isVertical = ['ArrowUp', 'ArrowDown'].includes(event.key) && this.#isExpanded()
    const keys = isVertical ? (['ArrowUp', 'ArrowDown'] as const) : arrowsAlong(this.element)
    this.#moveTo(itemByKey(event, this.#list(), current, keys), true)
  }
}

/** Places the name of the focused button below the button, within the width of the header. */
export function placeName(header: HTMLElement): void {
  const button = header.querySelector(':focus')
  if (button === null) return
  const outer = header.getBoundingClientRect()
  const { bottom, left, width } = button.getBoundingClientRect()
  const share = (left + width / 2 - outer.left) / outer.width
  header.style.setProperty('--_name-at', `${100 * share}%`)
  header.style.setProperty('--_name-top', `${bottom - outer.top}px`)
}

/** Returns the items to show. Reports unknown names as an error, and omits them. */
function toolbarItems(host: HTMLElement): readonly ToolbarItem[] {
  const attribute = host.getAttribute('toolbar')
  const isDefault = attribute === null || attribute === formatToolbar(DEFAULT_TOOLBAR)
  const names = isDefault ? arrangeDefault() : parseToolbar(attribute)
  const unknown = names.filter((name) => !isToolbarItem(name))
  if (unknown.length > 0) {
    const known = TOOLBAR_BUTTONS.join(', ')
    reportError(
      new TypeError(
        `toolbar: unknown button ${unknown.join(', ')}. Known names are ${known}. Write | between groups.`,
      ),
    )
  }
  return names.filter(isToolbarItem)
}

/** Returns the default buttons, the most used first. Phones have no key for undo. */
function arrangeDefault(): readonly string[] {
  const [early, late] = hasTouchScreen() ? ['undo', 'quote'] : ['quote', 'undo']
  return parseToolbar(
    `bold italic heading ${early} | link image code | unordered-list ordered-list task-list | ` +
      `table code-block | ${late} redo | strikethrough highlight superscript subscript | ` +
      'video document embed details horizontal-rule',
  )
}

const MORE =
  'M5.5 12a.5.5 0 1 0-1 0 .5.5 0 1 0 1 0M12.5 12a.5.5 0 1 0-1 0 .5.5 0 1 0 1 0M19.5 12a.5.5 0 1 0-1 0 .5.5 0 1 0 1 0'
const HELP =
  'M12 3.5a8.5 8.5 0 1 1-.01 0M9.6 9.6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.2 1-1.2 2M12 16.6h.01'
const FULLSCREEN = 'M9 4H4v5M15 4h5v5M9 20H4v-5M15 20h5v-5'

/** Creates the button that opens the help. */
export function createHelpButton({ help }: EditorStrings, onClick: () => void): HTMLButtonElement {
  return createIconButton('help', help, drawIcon(HELP), onClick)
}

/** Creates the button that toggles full screen. */
export function createFullscreenButton(context: EditorContext): HTMLButtonElement {
  const { notice, strings } = context
  const toggle = async (): Promise<void> => {
    try {
      const { toggleFullscreen } = await loadPart(() => import('./fullscreen.ts'), strings)
      if (!context.signal.aborted) toggleFullscreen(context, button)
    } catch (error) {
      notice.fail(messageOf(error))
    }
  }
  const off = { 'aria-pressed': 'false' }
  const button = createIconButton(null, strings.fullscreen, drawIcon(FULLSCREEN), toggle, off)
  // Keeps the focus and the selection in the text.
  button.addEventListener('mousedown', (event) => event.preventDefault())
  return button
}

function createIconButton(
  shortcut: ShortcutName | null,
  label: string,
  icon: SVGSVGElement,
  onClick: () => void,
  attributes: Readonly<Record<string, string | null>> = {},
): HTMLButtonElement {
  const button = createElement('button', {
    type: 'button',
    class: 'md-editor-button',
    'aria-label': label,
    'aria-keyshortcuts': ariaKeysOf(shortcut),
    ...attributes,
  })
  const keys = keysOf(shortcut)
  // A tooltip of the button itself would be its description, which repeats the name.
  button.append(createElement('span', { title: label + (keys && ` (${keys})`) }, icon))
  button.addEventListener('click', onClick)
  return button
}
