import { createElement } from '../dom/elements.ts'

// Not in all browsers, nor in TypeScript's library:
// https://developer.mozilla.org/docs/Web/API/OpaqueRange
interface ValueRange {
  getBoundingClientRect(): DOMRect
  disconnect(): void
}

type WithRanges = HTMLTextAreaElement & {
  createValueRange?(start: number, end: number): ValueRange
}

// The styles that decide the position of characters. The shorthand `font` can be empty, as with
// forced colours.
const COPIED = [
  ...[
    'direction',
    'letter-spacing',
    'line-height',
    'overflow-wrap',
    'padding',
    'tab-size',
    'text-align',
    'text-indent',
  ],
  ...['text-transform', 'unicode-bidi', 'white-space', 'word-break', 'word-spacing'],
  ...['family', 'feature-settings', 'kerning', 'size', 'stretch', 'style', 'variant', 'weight'].map(
    (name) => `font-${name}`,
  ),
]

/**
 * The rectangle of a character of a textarea in the window, in CSS pixels; null if it is scrolled
 * out of view.
 */
export function rectInTextarea(textarea: HTMLTextAreaElement, offset: number): DOMRect | null {
  const rect = measure(textarea, offset)
  const seen = textarea.getBoundingClientRect()
  return rect.bottom <= seen.top || rect.top >= seen.bottom ? null : rect
}

/** Scrolls the caret of a textarea into view. */
export function revealCaret(textarea: HTMLTextAreaElement): void {
  const { clientHeight, selectionEnd } = textarea
  const caret = measure(textarea, selectionEnd)
  const top = caret.top - textarea.getBoundingClientRect().top
  // One more line on either side.
  const below = Math.max(0, top + 2 * caret.height - clientHeight)
  textarea.scrollTop += below + Math.min(0, top - caret.height)
  textarea.scrollIntoView({ block: 'nearest' })
}

function measure(textarea: HTMLTextAreaElement, offset: number): DOMRect {
  return rangeRect(textarea, offset) ?? mirroredRect(textarea, offset)
}

function rangeRect(textarea: WithRanges, offset: number): DOMRect | null {
  const end = Math.min(offset + 1, textarea.textLength)
  const range = textarea.createValueRange?.(Math.min(offset, end), end)
  const rect = range?.getBoundingClientRect() ?? null
  range?.disconnect()
  return rect
}

/** Lays out the text up to the character in an element of the same width, out of sight. */
function mirroredRect(textarea: HTMLTextAreaElement, offset: number): DOMRect {
  const { clientLeft, clientTop, clientWidth, scrollLeft, scrollTop, value } = textarea
  const style = getComputedStyle(textarea)
  // The whole word: it may begin a row of its own.
  const mark = createElement('span', {}, /^\S*/.exec(value.slice(offset))?.[0] || '\u200b')
  const mirror = createElement('div', { 'aria-hidden': 'true' }, value.slice(0, offset), mark)
  for (const name of COPIED) mirror.style.setProperty(name, style.getPropertyValue(name))
  const own = {
    position: 'fixed',
    insetBlockStart: '0',
    insetInlineStart: '0',
    visibility: 'hidden',
    boxSizing: 'border-box',
  }
  Object.assign(mirror.style, own, { inlineSize: `${clientWidth}px` })
  document.body.append(mirror)
  const outer = mirror.getBoundingClientRect()
  const [inner = outer] = mark.getClientRects()
  mirror.remove()
  const field = textarea.getBoundingClientRect()
  const left = field.left + clientLeft + inner.left - outer.left - scrollLeft
  const top = field.top + clientTop + inner.top - outer.top - scrollTop
  return new DOMRect(left, top, 0, inner.height)
}
