import { type Liquid, Value } from 'liquidjs'
import { renderValue, type TemplateOptions } from './render-value.ts'

/** A value, which may have filters, and perhaps `as name`. */
const SIGNATURE = /^\s*(\S.*?)(?:\s+as\s+([a-z_][\w-]*))?\s*$/is

/**
 * Adds the tag `{% markdown text %}` and the filter `{{ text | markdown }}` to a LiquidJS engine.
 * Both put HTML into the page unescaped, whatever `outputEscape` says, and work in `render` and
 * `renderSync`. A filter behind `markdown` gets the HTML as a plain string.
 *
 * Where a page has several texts, a scope keeps their ids apart: `{{ text | markdown: 'c5' }}`.
 *
 * `{% markdown text as html %}` stores the HTML in a variable. LiquidJS knows no safe strings:
 * under `outputEscape` such a variable is written with `{{ html | raw }}`.
 *
 * LiquidJS has no tag libraries, so the library name `markdown_widget` has no place here.
 *
 * @param engine - a `Liquid` instance
 * @param options - the renderer
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
