import { createElement, offsetInTextarea } from '../dom/elements.ts'
import type { Lines } from '../editor/surface.ts'

// The usual width of a character in a monospace font, in em.
const LETTER = 0.6

/** Estimates the scroll position in lines, because no API returns where browsers wrap lines. */
export class TextareaLines implements Lines {
  readonly #textarea: HTMLTextAreaElement

  constructor(textarea: HTMLTextAreaElement) {
    this.#textarea = textarea
  }

  get topLine(): number {
    return this.#measure(this.#textarea.value)
  }

  scrollToLine(line: number): void {
    const textarea = this.#textarea
    const text = textarea.value
    let low = 0
    let high = textarea.scrollHeight - textarea.clientHeight
    const total = countLines(text, text.length) + 1
    let guess = (textarea.scrollHeight * line) / total
    for (let tries = 0; tries < 12 && high - low > 1; tries++) {
      const top = Math.min(Math.max(guess, low), high)
      textarea.scrollTop = top
      const found = this.#measure(text)
      if (Math.abs(found - line) < 0.1) return
      if (found < line) low = top
      else high = top
      guess = (low + high) / 2
    }
  }

  #measure(text: string): number {
    const textarea = this.#textarea
    const style = getComputedStyle(textarea)
    const size = Number.parseFloat(style.fontSize)
    const height = Number.parseFloat(style.lineHeight) || size * 1.2
    const padding = Number.parseFloat(style.paddingBlockStart)
    const row = Math.max(0, (textarea.scrollTop - padding) / height)
    const { left, top, width } = textarea.getBoundingClientRect()
    const middle = padding + (Math.floor(row) + 0.5) * height - textarea.scrollTop
    const x = left + Number.parseFloat(style.paddingLeft) + 1
    const offset = offsetInTextarea(textarea, x, top + Math.max(middle, 1))
    const lines = countLines(text, text.length) + 1
    // If the offset is unknown, assumes that all lines have the same number of rows.
    if (offset === null)
      return Math.min((row * height * lines) / (textarea.scrollHeight - 2 * padding), lines)
    const start = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1
    const end = text.indexOf('\n', offset)
    const columns = Math.max(1, Math.floor((width - 2 * padding) / (size * LETTER)))
    const rows = Math.max(1, Math.ceil(((end === -1 ? text.length : end) - start) / columns))
    const within = Math.min(Math.round((offset - start) / columns) + (row % 1), rows) / rows
    return countLines(text, start) + within
  }
}

/** Counts the line breaks before an offset. */
export function countLines(text: string, end: number): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count++
  return count
}

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

/**
 * Scrolls the caret of a textarea into view, with one more line above and below it. Must not be
 * called while the user types, because Chromium ends the undo step when a node is removed.
 */
export function revealCaret(textarea: HTMLTextAreaElement): void {
  const { clientHeight, offsetHeight, selectionEnd } = textarea
  const caret = measure(textarea, selectionEnd)
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
