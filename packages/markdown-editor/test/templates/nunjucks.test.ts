import nunjucks from 'nunjucks'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { BaseRenderer, DefaultRenderer } from '../../../markdown/src/index.ts'
import { type NunjucksEnvironment, registerNunjucks } from '../../src/templates/nunjucks.ts'

const text = '**b** <script>x</script>&'
const html = '<p><strong>b</strong> &amp;</p>'

function environmentWith(options: nunjucks.ConfigureOptions = {}): nunjucks.Environment {
  const environment = new nunjucks.Environment(null, options)
  registerNunjucks(environment, { renderer: new DefaultRenderer() })
  return environment
}

describe('registerNunjucks', () => {
  it('accepts the Environment type of nunjucks', () => {
    expectTypeOf<nunjucks.Environment>().toExtend<NunjucksEnvironment>()
  })

  it('registers under the library name markdown_widget', () => {
    expect(environmentWith().hasExtension('markdown_widget')).toBe(true)
  })

  it('does not call the renderer for empty values', () => {
    class NeverRenderer extends BaseRenderer {
      override render(): string {
        throw new Error('must not be called')
      }
    }
    const environment = new nunjucks.Environment()
    registerNunjucks(environment, { renderer: new NeverRenderer() })
    expect(
      environment.renderString('{{ x | markdown }}{% markdown "" %}{% markdown none %}', {
        x: null,
      }),
    ).toBe('')
  })

  it.each([
    ['{% markdown %}', 'unexpected token'],
    ['{% markdown x as 5 %}', '"as" needs a name'],
    ['{% markdown x y %}', 'expected block end'],
    ['{% markdown x, y %}', 'expected block end'],
  ])('refuses %s', (template, message) => {
    expect(() => environmentWith().renderString(template, {})).toThrow(message)
  })
})

describe.each([{ autoescape: true }, { autoescape: false }])('nunjucks with %o', (options) => {
  const environment = environmentWith(options)

  it.each([
    ['{{ x | markdown }}', html],
    ['{% markdown x %}', html],
    ['a {%- markdown x -%} b', `a${html}b`],
    ['{% markdown x | upper | lower %}', '<p><strong>b</strong> &amp;</p>'],
    ['{% markdown "*a*" %}', '<p><em>a</em></p>'],
    ['{{ "*a*" | markdown }}', '<p><em>a</em></p>'],
    ['{% markdown post.body %}', '<p>c</p>'],
    ['{% markdown x as y %}[{{ y }}]', `[${html}]`],
    ['{% for i in list %}{% markdown i as y %}{{ y }}{% endfor %}', '<p>1</p><p>2</p>'],
    ['{% markdown nope %}{{ nope | markdown }}{% markdown none %}{% markdown "" %}', ''],
    ['{% markdown n %}{{ n | markdown }}', '<p>5</p><p>5</p>'],
    ['{{ x | safe | markdown }}', html],
  ])('renders %s', (template, expected) => {
    expect(
      environment.renderString(template, { x: text, n: 5, list: ['1', '2'], post: { body: 'c' } }),
    ).toBe(expected)
  })

  it.each([
    ["{{ h | markdown('c5') }}", 'c5'],
    ['{{ h | markdown(id) }}', '7'],
    ["{{ h | markdown('c' + id) }}", 'c7'],
    ['{{ h | markdown(nope) }}', ''],
    ["{{ h | markdown('') }}", ''],
  ])('renders %s with the scope %j', (template, scope) => {
    const expected = new DefaultRenderer().render('# h', scope === '' ? {} : { scope })
    expect(environment.renderString(template, { h: '# h', id: 7 })).toBe(expected)
  })

  it.each(["{{ 'a' | markdown(x) }}"])('refuses an invalid scope in %s', (template) => {
    expect(() => environment.renderString(template, { x: [1] })).toThrow(
      'the scope must be a text, not a list',
    )
    expect(() => environment.renderString(template, { x: 'a b' })).toThrow(
      '"scope" must be 1 to 100 letters',
    )
  })

  it.each(['{% markdown x %}', '{{ x | markdown }}'])('refuses a list in %s', (template) => {
    expect(() => environment.renderString(template, { x: [1] })).toThrow(
      'the value must be a text, not a list',
    )
  })

  it('works in asynchronous renders', async () => {
    const rendered = await new Promise((resolve, reject) => {
      environment.renderString('{% markdown x %}', { x: 'a' }, (error, result) =>
        error === null ? resolve(result) : reject(error),
      )
    })
    expect(rendered).toBe('<p>a</p>')
  })
})
