import { TEXT_COMMANDS, type TextCommandName } from '../commands/commands.ts'
import { createButton, createElement, PART } from '../dom/elements.ts'
import { itemByKey } from '../dom/key-press.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import { keysOf } from '../toolbar/shortcuts.ts'
import { runCommand } from '../toolbar/writing.ts'
import { placeAt } from './place.ts'

const LEVELS = [1, 2, 3, 4, 5, 6] as const

/** Opens the menu of heading levels. The current level turns the heading into plain text. */
export function openHeadingMenu(context: EditorContext): void {
  const { host, strings } = context
  const button = host.querySelector<HTMLElement>('[data-command="heading"]')
  const attributes = { class: 'md-editor-menu', role: 'menu', popover: 'auto', [PART]: '' }
  const menu = createElement('div', { ...attributes, 'aria-label': strings.buttons.heading })
  const items = LEVELS.map((level) => createItem(context, level, () => menu.hidePopover()))
  menu.append(...items)
  menu.addEventListener('keydown', (event) => {
    if (event.key === 'Tab') menu.hidePopover()
    itemByKey(event, items, event.target as HTMLButtonElement, ['ArrowUp', 'ArrowDown'])?.focus()
  })
  menu.addEventListener('toggle', ({ newState }) => {
    if (button !== null) button.ariaExpanded = String(newState === 'open')
    if (newState === 'closed') menu.remove()
  })
  host.append(menu)
  menu.showPopover()
  const { left, top } = placeAt((button ?? host).getBoundingClientRect(), menu, host)
  // The position is relative to the page, so that the menu scrolls with it.
  menu.style.setProperty('inset', `${top + scrollY}px auto auto ${left + scrollX}px`)
  const current = items.find((item) => item.ariaChecked === 'true') ?? items[0]
  current?.focus()
}

function createItem(context: EditorContext, level: number, close: () => void): HTMLButtonElement {
  const name = `heading-${level}` as TextCommandName
  const { isActive } = TEXT_COMMANDS[name]
  const strings = lazyStrings(context.strings)
  const item = createButton(strings.keyHeading(level), 'md-editor-menu-item', () => {
    close()
    runCommand(name, context)
  })
  item.setAttribute('role', 'menuitemradio')
  item.ariaChecked = String(isActive?.(context.surface.read()) ?? false)
  item.tabIndex = -1
  item.append(createElement('kbd', {}, keysOf(name)))
  return item
}
