import type { BaseRenderer } from '../rendering/base-renderer.ts'

/**
 * Options of every template engine's register function.
 */
export interface TemplateOptions {
  /** What turns markdown into HTML. Its output goes into the page as it is, so it must be safe: `editor.renderer` is. */
  readonly renderer: BaseRenderer
}

/**
 * Renders the value of a template expression. Null, undefined and '' give '' and don't reach the renderer; numbers,
 * booleans and string objects (a template engine's safe strings) are turned into text.
 *
 * @param value - whatever the expression gave
 * @returns safe HTML
 * @throws TypeError for anything else
 */
export function renderValue(renderer: BaseRenderer, value: unknown): string {
  const text = toText(value)
  return text === '' ? '' : renderer.render(text)
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (['number', 'bigint', 'boolean'].includes(typeof value) || value instanceof String) return String(value)
  throw new TypeError(
    `markdown: the value must be a text, not ${Array.isArray(value) ? 'a list' : `a ${typeof value}`}.`,
  )
}
