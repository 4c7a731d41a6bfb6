import { readFileSync } from 'node:fs'
import { Liquid } from 'liquidjs'
import nunjucks from 'nunjucks'
import { describe, expect, it } from 'vitest'
import { BaseRenderer, DefaultRenderer } from '../../packages/markdown/src/index.ts'
import { registerLiquid } from '../../packages/markdown-editor/src/templates/liquid.ts'
import { registerNunjucks } from '../../packages/markdown-editor/src/templates/nunjucks.ts'

interface TemplateCase {
  readonly id: string
  readonly template: string
  readonly context: Record<string, unknown>
  readonly expected: { readonly output?: string }
  readonly markdownLibraryMissing?: boolean
  readonly settings?: { readonly RENDERER_CLASS: string }
}

const file = new URL('cases/editor-widget.json', import.meta.url)
const all = JSON.parse(readFileSync(file, 'utf8')) as TemplateCase[]
const cases = all.filter(({ id }) => id.startsWith('tpl-'))

// Our results for cases that differ. See differences.md.
const differ: Readonly<Record<string, string>> = {
  'tpl-tag-script': 'ok',
  'tpl-filter-script': 'ok',
  'tpl-tag-number': '<p>5</p>',
  'tpl-filter-number': '<p>5</p>',
}

/** A renderer that returns the text unchanged, for cases whose settings name their own renderer. */
class RawRenderer extends BaseRenderer {
  override render(markdown: string): string {
    return markdown
  }
}

function rendererOf({ markdownLibraryMissing, settings }: TemplateCase): BaseRenderer {
  if (settings !== undefined) return new RawRenderer()
  return markdownLibraryMissing ? new DefaultRenderer({ markdownIt: null }) : new DefaultRenderer()
}

// Our renderer is an object instead of a module path, so the case of a wrong path does not apply.
const applicable = cases
  .filter(({ id }) => id !== 'tpl-renderer-missing')
  .map((test) => [test.id, test] as const)

describe('reference: templates', () => {
  it.each(applicable)('%s in LiquidJS', (id, test) => {
    const engine = new Liquid()
    registerLiquid(engine, { renderer: rendererOf(test) })
    expect(engine.parseAndRenderSync(test.template, test.context)).toBe(
      differ[id] ?? test.expected.output,
    )
  })

  it.each(applicable)('%s in nunjucks', (id, test) => {
    const environment = new nunjucks.Environment(null, { autoescape: true })
    registerNunjucks(environment, { renderer: rendererOf(test) })
    expect(environment.renderString(test.template, test.context)).toBe(
      differ[id] ?? test.expected.output,
    )
  })

  it('contains all cases', () => {
    expect(cases.length).toBe(16)
  })
})
