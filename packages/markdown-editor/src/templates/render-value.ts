import type { BaseRenderer } from '@quillgate/markdown'

/**
 * Options of every template engine's register function.
 */
export interface TemplateOptions {
  /**
   * Renders markdown. The HTML goes into the page unescaped, so it must be safe, as that of
   * `editor.renderer`.
   */
  readonly renderer: BaseRenderer
}

/**
 * Renders the value of a template expression. Null, undefined and '' give '' and don't reach the
 * renderer; numbers and booleans are turned into text, as is what an engine wraps (safe strings,
 * drops).
 *
 * @param value - whatever the expression gave
 * @param scope - the name that makes the text's ids its own on a page with several; null, undefined
 * and '' mean none
 * @returns safe HTML
 * @throws TypeError for anything else, and for a scope that is not a plain name
 */
export function renderValue(renderer: BaseRenderer, value: unknown, scope?: unknown): string {
  const text = toText('value', value)
  const name = toText('scope', scope)
  if (text === '') return ''
  return name === '' ? renderer.render(text) : renderer.render(text, { scope: name })
}

function toText(what: string, value: unknown): string {
  if (['number', 'bigint', 'boolean'].includes(typeof value)) return String(value)
  // Safe strings of nunjucks and drops of LiquidJS, its nil among them, say by valueOf what they
  // stand for.
  const plain: unknown = typeof value === 'object' ? value?.valueOf() : value
  if (plain === null || plain === undefined) return ''
  if (typeof plain === 'string') return plain
  throw new TypeError(
    `markdown: the ${what} must be a text, not ${Array.isArray(value) ? 'a list' : typeof value}.`,
  )
}
