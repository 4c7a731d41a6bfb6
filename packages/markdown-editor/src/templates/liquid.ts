import { type Liquid, Value } from 'liquidjs'
import { renderValue, type TemplateOptions } from './render-value.ts'

/**
 * Adds the tag `{% markdown text %}` and the filter `{{ text | markdown }}` to a LiquidJS engine.
 * Both put HTML into the page unescaped, whatever `outputEscape` says, and work in `render` and
 * `renderSync`. A filter behind `markdown` gets the HTML as a plain string.
 *
 * Where a page has several texts, a scope keeps their ids apart: `{{ text | markdown: 'c5' }}`.
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
      const expression = args.trim()
      if (expression === '')
        throw new SyntaxError('The tag "markdown" needs a value: {% markdown text %}.')
      this['value'] = new Value(expression, engine)
    },
    *render(context, emitter): Generator<unknown, void, unknown> {
      emitter.write(renderValue(renderer, yield this['value'].value(context)))
    },
  })
}
