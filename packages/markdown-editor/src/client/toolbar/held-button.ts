import { createElement, PART } from '../dom/elements.ts'

// In milliseconds. What takes longer than a press asks for the name.
const LONG = 500
// A browser may send the click so much later than the finger went.
const CLICK_DELAY = 400

// In CSS pixels.
const GAP = 8

/** Shows the name of a button that is held long, until it is let go; then it is not pressed. */
export function nameHeld(host: HTMLElement, button: HTMLElement, holding: AbortSignal): void {
  if (holding.aborted) return
  host.addEventListener('contextmenu', refuse, { signal: holding })
  const timer = setTimeout(() => {
    const name = show(host, button)
    const ended = new AbortController()
    host.addEventListener('click', refuse, { capture: true, signal: ended.signal })
    holding.addEventListener('abort', () => {
      name.remove()
      setTimeout(() => ended.abort(), CLICK_DELAY)
    })
  }, LONG)
  holding.addEventListener('abort', () => clearTimeout(timer))
}

function refuse(event: Event): void {
  event.preventDefault()
  event.stopPropagation()
}

/** Above the button, for the finger is on it. Screen readers know the name. */
function show(host: HTMLElement, button: HTMLElement): HTMLElement {
  const attributes = { class: 'md-editor-name', popover: 'manual', 'aria-hidden': 'true', [PART]: '' }
  const name = createElement('div', attributes, button.ariaLabel ?? '')
  host.append(name)
  name.showPopover()
  const { left, width, top, bottom } = button.getBoundingClientRect()
  const most = document.documentElement.clientWidth - name.offsetWidth - GAP
  const x = Math.max(GAP, Math.min(left + width / 2 - name.offsetWidth / 2, most))
  const above = top - name.offsetHeight - GAP
  name.style.setProperty('inset', `${above < 0 ? bottom + GAP : above}px auto auto ${x}px`)
  return name
}
