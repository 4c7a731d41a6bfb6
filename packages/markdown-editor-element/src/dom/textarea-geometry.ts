import { createElement } from './elements.ts'

/** The styles of a font. The shorthand `font` can be empty, for example with forced colors. */
export const FONT_STYLES: readonly string[] = [
  ...['font-family', 'font-feature-settings', 'font-kerning', 'font-size', 'font-stretch'],
  ...['font-style', 'font-variant', 'font-weight', 'letter-spacing', 'line-height'],
  ...['text-align', 'text-transform', 'word-spacing'],
]

// The other styles that affect the position of characters.
const LAYOUT_STYLES = [
  ...['direction', 'overflow-wrap', 'padding', 'tab-size', 'text-indent', 'unicode-bidi'],
  ...['white-space', 'word-break'],
]

/** Returns a caret's rectangle in the window, or null if it is above or below the textarea. */
export function rectInTextarea(textarea: HTMLTextAreaElement, offset: number): DOMRect | null {
  const rect = measure(textarea, offset)
  const seen = textarea.getBoundingClientRect()
  return rect.bottom <= seen.top || rect.top >= seen.bottom ? null : rect
}

/** Reveals the caret. Do not call while typing: removing a node ends Chromium's undo step. */
export function revealCaret(textarea: HTMLTextAreaElement, at = textarea.selectionEnd): void {
  const { clientHeight, offsetHeight } = textarea
  const caret = measure(textarea, at)
  const start = caret.top - textarea.getBoundingClientRect().top
  const below = Math.max(0, start + 2 * caret.height - clientHeight)
  const before = textarea.scrollTop
  textarea.scrollTop += below + Math.min(0, start - caret.height)
  // The field can be higher than the window, so negative margins leave only the lines at the caret.
  const top = start - (textarea.scrollTop - before) - caret.height
  const bottom = offsetHeight - top - 3 * caret.height
  textarea.style.scrollMarginBlock = `${Math.min(0, -top)}px ${Math.min(0, -bottom)}px`
  textarea.scrollIntoView({ block: 'nearest' })
  textarea.style.scrollMarginBlock = ''
}

/** Returns a caret's rectangle, measured in an invisible copy of the textarea. */
function measure(textarea: HTMLTextAreaElement, offset: number): DOMRect {
  const { clientLeft, clientTop, clientWidth, scrollLeft, scrollTop, value } = textarea
  const style = getComputedStyle(textarea)
  // Adds the whole word, because it may be wrapped to the next row.
  const mark = createElement('span', {}, /^\S*/.exec(value.slice(offset))?.[0] || '\u200b')
  const mirror = createElement('div', { 'aria-hidden': 'true' }, value.slice(0, offset), mark)
  for (const name of [...FONT_STYLES, ...LAYOUT_STYLES])
    mirror.style.setProperty(name, style.getPropertyValue(name))
  const place = { position: 'fixed', inset: '0 auto auto 0', visibility: 'hidden' }
  Object.assign(mirror.style, place, { boxSizing: 'border-box', inlineSize: `${clientWidth}px` })
  document.body.append(mirror)
  const outer = mirror.getBoundingClientRect()
  const [inner = outer] = mark.getClientRects()
  mirror.remove()
  const field = textarea.getBoundingClientRect()
  const left = field.left + clientLeft + inner.left - outer.left - scrollLeft
  const top = field.top + clientTop + inner.top - outer.top - scrollTop
  return new DOMRect(left, top, 0, inner.height)
}
