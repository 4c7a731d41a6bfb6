import { type Liquid, Value } from 'liquidjs'
import { renderValue, type TemplateOptions } from './render-value.ts'

/** Matches the arguments of the tag: a value with optional filters, and optionally `as name`. */
const SIGNATURE = /^\s*(\S.*?)(?:\s+as\s+([a-z_][\w-]*))?\s*$/is

/**
 * Adds the tag `{% markdown text %}` and the filter `{{ text | markdown }}` to a LiquidJS engine.
 * The tag and the filter insert unescaped HTML into the page, regardless of `outputEscape`. They
 * work with `render` and `renderSync`. A filter after `markdown` gets the HTML as a plain string.
 *
 * If a page has several texts, give each text a scope, so that their HTML ids differ:
 * `{{ text | markdown: 'c5' }}`.
 *
 * `{% markdown text as html %}` stores the HTML in a variable. LiquidJS has no safe strings. So
 * with `outputEscape`, write the variable as `{{ html | raw }}`.
 *
 * @example
 * registerLiquid(engine, { renderer: editor.renderer })
 */
export function registerLiquid(engine: Liquid, { renderer }: TemplateOptions): void {
  engine.registerFilter('markdown', {
    handler: (value, scope) => renderValue(renderer, value, scope),
    raw: true,
  })
  engine.registerTag('markdown', {
    parse({ args }) {
      const [, expression, variable] = SIGNATURE.exec(args) ?? []
      if (expression === undefined)
        throw new SyntaxError('The tag "markdown" needs a value: {% markdown text %}.')
      this['value'] = new Value(expression, engine)
      this['variable'] = variable
    },
    *render(context, emitter): Generator<unknown, void, unknown> {
      const html = renderValue(renderer, yield this['value'].value(context))
      if (this['variable'] === undefined) emitter.write(html)
      else context.bottom()[this['variable']] = html
    },
  })
}
