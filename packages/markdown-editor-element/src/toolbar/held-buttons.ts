import { createElement, PART } from '../dom/elements.ts'
import type { EditorContext } from '../editor/editor-context.ts'

// In milliseconds. What takes longer than a press asks for the name.
const LONG = 500
// A browser may send the click so much later than the finger went.
const CLICK_DELAY = 400

// In CSS pixels.
const GAP = 8

/**
 * Shows what a button is called while a finger is held on it, which cannot hover to see its title;
 * it is not pressed then.
 */
export function nameHeldButtons({ host, signal }: Pick<EditorContext, 'host' | 'signal'>): void {
  const listen = ({ pointerType, target }: PointerEvent): void => {
    const button = (target as Element).closest<HTMLElement>('.md-editor-button')
    if (pointerType !== 'touch' || button === null) return
    const holding = new AbortController()
    const held = AbortSignal.any([holding.signal, signal])
    for (const type of ['pointerup', 'pointercancel']) {
      window.addEventListener(type, () => holding.abort(), { signal: held })
    }
    hold(host, button, held)
  }
  host.addEventListener('pointerdown', listen, { signal })
}

function hold(host: HTMLElement, button: HTMLElement, held: AbortSignal): void {
  host.addEventListener('contextmenu', refuse, { signal: held })
  const timer = setTimeout(() => {
    const name = show(host, button)
    const ended = new AbortController()
    host.addEventListener('click', refuse, { capture: true, signal: ended.signal })
    held.addEventListener('abort', () => {
      name.remove()
      setTimeout(() => ended.abort(), CLICK_DELAY)
    })
  }, LONG)
  held.addEventListener('abort', () => clearTimeout(timer))
}

function refuse(event: Event): void {
  event.preventDefault()
  event.stopPropagation()
}

/** Above the button, for the finger is on it. Screen readers know the name. */
function show(host: HTMLElement, button: HTMLElement): HTMLElement {
  const attributes = {
    class: 'md-editor-name',
    popover: 'manual',
    'aria-hidden': 'true',
    [PART]: '',
  }
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
