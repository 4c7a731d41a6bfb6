import { Liquid } from 'liquidjs'
import { describe, expect, it } from 'vitest'
import { BaseRenderer, DefaultRenderer } from '../../../markdown/src/index.ts'
import { registerLiquid } from '../../src/templates/liquid.ts'

const text = '**b** <script>x</script>&'
const html = '<p><strong>b</strong> &amp;</p>'

function engineWith(options: { outputEscape?: 'escape'; strictVariables?: boolean } = {}): Liquid {
  const engine = new Liquid(options)
  registerLiquid(engine, { renderer: new DefaultRenderer() })
  return engine
}

describe('registerLiquid', () => {
  it('does not call the renderer for empty values', () => {
    class NeverRenderer extends BaseRenderer {
      override render(): string {
        throw new Error('must not be called')
      }
    }
    const engine = new Liquid()
    registerLiquid(engine, { renderer: new NeverRenderer() })
    expect(
      engine.parseAndRenderSync('{{ x | markdown }}{% markdown "" %}{% markdown nil %}', {
        x: null,
      }),
    ).toBe('')
  })

  it('refuses a tag without a value when the template is parsed', () => {
    expect(() => engineWith().parse('{% markdown %}')).toThrow('The tag "markdown" needs a value')
  })

  it('throws for undefined variables if they are strict', () => {
    expect(() =>
      engineWith({ strictVariables: true }).parseAndRenderSync('{% markdown nope %}'),
    ).toThrow('undefined variable')
  })
})

describe.each([{}, { outputEscape: 'escape' as const }])('liquid with %o', (options) => {
  const engine = engineWith(options)

  it.each([
    ['{{ x | markdown }}', html],
    ['{% markdown x %}', html],
    ['{%- markdown x -%}', html],
    ['{% markdown x | upcase | downcase %}', '<p><strong>b</strong> &amp;</p>'],
    ['{% markdown "*a*" %}', '<p><em>a</em></p>'],
    ['{{ "*a*" | markdown }}', '<p><em>a</em></p>'],
    ['{% markdown post.body %}', '<p>c</p>'],
    ['{% markdown "x as y" %}', '<p>x as y</p>'],
    ['{% markdown x as y %}[{{ y | raw }}]', `[${html}]`],
    ['{% for i in list %}{% markdown i as y %}{{ y | raw }}{% endfor %}', '<p>1</p><p>2</p>'],
    ['{% markdown nope %}{{ nope | markdown }}{% markdown nil %}{% markdown "" %}', ''],
    ['{% markdown n %}{{ n | markdown }}', '<p>5</p><p>5</p>'],
  ])('renders %s', async (template, expected) => {
    const values = { x: text, n: 5, list: ['1', '2'], post: { body: 'c' } }
    expect(engine.parseAndRenderSync(template, values)).toBe(expected)
    expect(await engine.parseAndRender(template, values)).toBe(expected)
  })

  it.each([
    ["{{ h | markdown: 'c5' }}", 'c5'],
    ['{{ h | markdown: id }}', '7'],
    ["{% markdown h | replace: 'h', 'h' %}", ''],
    ['{{ h | markdown: nope }}', ''],
    ["{{ h | markdown: '' }}", ''],
  ])('renders %s with the scope %j', async (template, scope) => {
    const expected = new DefaultRenderer().render('# h', scope === '' ? {} : { scope })
    const values = { h: '# h', id: 7 }
    expect(engine.parseAndRenderSync(template, values)).toBe(expected)
    expect(await engine.parseAndRender(template, values)).toBe(expected)
  })

  it.each(["{{ 'a' | markdown: x }}"])('refuses an invalid scope in %s', (template) => {
    expect(() => engine.parseAndRenderSync(template, { x: [1] })).toThrow(
      'the scope must be a text, not a list',
    )
    expect(() => engine.parseAndRenderSync(template, { x: 'a b' })).toThrow(
      '"scope" must be 1 to 100 letters',
    )
  })

  it('keeps commas inside strings', () => {
    expect(
      engine.parseAndRenderSync(`{% markdown "a, 'b'" %}{% markdown p["a,b"] %}`, {
        p: { 'a,b': 'd' },
      }),
    ).toBe("<p>a, 'b'</p><p>d</p>")
  })

  it.each(['{% markdown x %}', '{{ x | markdown }}'])(
    'refuses a list and an object in %s',
    (template) => {
      expect(() => engine.parseAndRenderSync(template, { x: [1] })).toThrow(
        'the value must be a text, not a list',
      )
      expect(() => engine.parseAndRenderSync(template, { x: {} })).toThrow(
        'the value must be a text, not object',
      )
    },
  )
})
