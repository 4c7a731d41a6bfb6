import { renderValue, type TemplateOptions } from './render-value.ts'

/** The part of a `Liquid` engine (liquidjs 10) that is used. */
export interface LiquidEngine {
  registerFilter(
    name: string,
    filter: { handler: (value: unknown, scope?: unknown) => string; raw: boolean },
  ): void
  registerTag(name: string, tag: LiquidTag): void
}

interface LiquidTag {
  parse(this: MarkdownTag, token: { readonly args: string }): void
  render(
    this: MarkdownTag,
    context: LiquidContext,
    emitter: { write(html: string): void },
  ): Generator<unknown, void>
}

// The `this` of liquidjs: its tag, on which `parse` stores values for `render`.
interface MarkdownTag {
  readonly liquid: { _evalValue(expression: string, context: never): Iterable<unknown> }
  expression?: string
  scope?: string | undefined
  variable?: string | undefined
}

interface LiquidContext {
  bottom(): { [name: string]: unknown }
}

// `value`, `value, scope`, and either with `as name`; both may have filters.
const signature = /^\s*(\S.*?)(?:\s+as\s+([a-z_][\w-]*))?\s*$/is
// Behind a filter with arguments that comes last, a comma belongs to them.
const text = `'[^']*'|"[^"]*"`
const filters = String.raw`(?:\|(?:[^'"|,:]|${text})+(?::(?:[^'"|]|${text})*(?=\|))?)*`
const withScope = new RegExp(`^((?:[^'"|,]|${text})+${filters}),(.+)$`, 's')

/**
 * Adds the tag `{% markdown text %}` and the filter `{{ text | markdown }}` to a LiquidJS engine.
 * Both put HTML into the page unescaped, whatever `outputEscape` says, and work in `render` and
 * `renderSync`. A filter behind `markdown` gets the HTML as a plain string.
 *
 * Where a page has several texts, a scope keeps their ids apart: `{{ text | markdown: 'c5' }}`, `{%
 * markdown text, 'c5' %}`.
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
export function registerLiquid(engine: LiquidEngine, { renderer }: TemplateOptions): void {
  engine.registerFilter('markdown', {
    handler: (value, scope) => renderValue(renderer, value, scope),
    raw: true,
  })
  engine.registerTag('markdown', {
    parse({ args }) {
      const match = signature.exec(args)
      if (match === null)
        throw new SyntaxError('The tag "markdown" needs a value: {% markdown text %}.')
      const [, value = '', scope] = withScope.exec(match[1] ?? '') ?? match.slice(0, 2)
      this.expression = value
      this.scope = scope
      this.variable = match[2]
    },
    *render(context, emitter) {
      const value = yield this.liquid._evalValue(this.expression ?? '', context as never)
      const scope =
        this.scope === undefined
          ? undefined
          : yield this.liquid._evalValue(this.scope, context as never)
      const html = renderValue(renderer, value, scope)
      if (this.variable === undefined) emitter.write(html)
      else context.bottom()[this.variable] = html
    },
  })
}
