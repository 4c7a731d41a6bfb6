import { renderValue, type TemplateOptions } from './render-value.ts'

/** The methods of a nunjucks 3.2 `Environment` that {@link registerNunjucks} calls. */
export interface NunjucksEnvironment {
  addFilter(name: string, filter: (value: unknown, scope?: unknown) => unknown): unknown
  getFilter(name: string): (value: string) => unknown
  /** `parse` converts a tag to nodes of the template's syntax tree. */
  addExtension(name: string, extension: { tags: string[]; parse: typeof parseTag }): unknown
}

interface NunjucksParser {
  nextToken(): { readonly value: string; readonly lineno: number; readonly colno: number }
  parseExpression(): unknown
  parsePrimary(): unknown
  skipSymbol(name: string): boolean
  advanceAfterBlockEnd(tag: string): unknown
  fail(message: string, line: number, column: number): never
}

type NodeClass<Arguments extends unknown[]> = new (
  line: number,
  column: number,
  ...rest: Arguments
) => object

interface NunjucksNodes {
  readonly Filter: NodeClass<[name: object, args: object]>
  readonly NodeList: NodeClass<[children: unknown[]]>
  readonly Output: NodeClass<[children: object[]]>
  readonly Set: NodeClass<[targets: unknown[], value: object]>
  readonly Symbol: NodeClass<[name: string]>
}

/**
 * Adds the tag `{% markdown text %}` and the filter `{{ text | markdown }}` to a nunjucks
 * environment, as the extension `markdown_widget`. The tag and the filter return safe strings,
 * which autoescape does not escape. `{% markdown text as html %}` stores the HTML in a variable,
 * with the same scope rules as `{% set %}`.
 *
 * If a page has several texts, give each text a scope, so that their HTML ids differ:
 * `{{ text | markdown('c5') }}`.
 *
 * @example
 * registerNunjucks(environment, { renderer: editor.renderer })
 */
export function registerNunjucks(
  environment: NunjucksEnvironment,
  { renderer }: TemplateOptions,
): void {
  const toSafeString = environment.getFilter('safe')
  environment.addFilter('markdown', (value, scope) =>
    toSafeString(renderValue(renderer, value, scope)),
  )
  environment.addExtension('markdown_widget', { tags: ['markdown'], parse: parseTag })
}

// Converts the tag to `{{ text | markdown }}` or `{% set html = text | markdown %}`.
function parseTag(parser: NunjucksParser, nodes: NunjucksNodes): unknown {
  const { value: tag, lineno: line, colno: column } = parser.nextToken()
  const value = parser.parseExpression()
  const target = parser.skipSymbol('as') ? parser.parsePrimary() : null
  if (target !== null && !(target instanceof nodes.Symbol))
    parser.fail('markdown: "as" needs a name', line, column)
  parser.advanceAfterBlockEnd(tag)
  const name = new nodes.Symbol(line, column, 'markdown')
  const html = new nodes.Filter(line, column, name, new nodes.NodeList(line, column, [value]))
  return target === null
    ? new nodes.Output(line, column, [html])
    : new nodes.Set(line, column, [target], html)
}
