import type { BaseRenderer } from '@quillgate/markdown'

/** Options of the functions that register a template engine. */
export interface TemplateOptions {
  /**
   * Renders Markdown. The HTML is inserted into the page without escaping, so the renderer must
   * return safe HTML, as `editor.renderer` does.
   */
  readonly renderer: BaseRenderer
}

/**
 * Renders the value of a template expression. The value can be an object of the template engine,
 * such as a safe string. An empty value results in no HTML. An empty scope means no scope.
 *
 * @throws TypeError for a value of another type, and for an invalid scope
 */
export function renderValue(renderer: BaseRenderer, value: unknown, scope?: unknown): string {
  const text = toText('value', value)
  const name = toText('scope', scope)
  if (text === '') return ''
  return name === '' ? renderer.render(text) : renderer.render(text, { scope: name })
}

function toText(what: string, value: unknown): string {
  if (['number', 'bigint', 'boolean'].includes(typeof value)) return String(value)
  // Safe strings of nunjucks and drops of LiquidJS return their value from `valueOf`.
  const plain: unknown = typeof value === 'object' ? value?.valueOf() : value
  if (plain === null || plain === undefined) return ''
  if (typeof plain === 'string') return plain
  throw new TypeError(
    `markdown: the ${what} must be a text, not ${Array.isArray(value) ? 'a list' : typeof value}.`,
  )
}
