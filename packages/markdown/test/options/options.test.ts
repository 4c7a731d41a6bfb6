import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import {
  defaultPolicy,
  IncrementalRenderer,
  MarkdownRenderer,
  type MarkdownRendererOptions,
} from '../../src/index.ts'
import { createRenderer } from '../support/create-renderer.ts'

type Option = keyof MarkdownRendererOptions

describe('an invalid option', () => {
  it.each<[Option, unknown]>([
    ['markdownIt', 'markdown-it'],
    ['markdownIt', {}],
    ['onMedium', async () => ({ url: '/a.png' })],
    ['policy', null],
    ['policy', 5],
    ['policy', {}],
    ['policy', { schemes: { link: [] } }],
    ['policy', { ...defaultPolicy, embeds: undefined }],
    ['embedHosts', 'x'],
    ['embedHosts', [5]],
    ['embedHosts', null],
    ['highlight', 'x'],
    ['alertTitles', 'x'],
    ['alertTitles', null],
    ['alertTitles', { note: 5 }],
    ['alertTitles', { danger: 'a' }],
    ['onMedium', 5],
    ['maxLength', '5'],
    ['maxLength', 0],
    ['maxLength', Number.NaN],
  ])('throws a TypeError that names it: %s: %j', (name, value) => {
    const options = { markdownIt: MarkdownIt, [name]: value }
    for (const make of [MarkdownRenderer, IncrementalRenderer]) {
      expect(() => new make(options)).toThrow(TypeError)
      expect(() => new make(options)).toThrow(new RegExp(`^The option "${name}" must be `))
    }
  })

  it('is a TypeError that lists the options if the name is unknown', () => {
    const options = { markdownIt: MarkdownIt, alertTitle: {} }
    for (const make of [MarkdownRenderer, IncrementalRenderer]) {
      expect(() => new make(options)).toThrow(TypeError)
      expect(() => new make(options)).toThrow(/^There is no option "alertTitle"\. .*alertTitles/)
    }
  })

  it('is not reported for undefined, or for null if the option allows null', () => {
    const names: readonly Option[] = ['policy', 'embedHosts', 'alertTitles', 'maxLength']
    const left = Object.fromEntries(names.map((name) => [name, undefined]))
    const options = {
      ...left,
      highlight: null,
      onMedium: null,
    } as unknown as MarkdownRendererOptions
    expect(createRenderer(options).render('> [!NOTE]\n> a')).toContain('Note')
    expect(
      createRenderer({ alertTitles: { note: undefined } as object }).render('> [!NOTE]\n> a'),
    ).toContain('Note')
  })
})

describe('text from options', () => {
  it('replaces NUL and lone surrogates', () => {
    const bad = '\ud800a\0b\udc00'
    const good = '\ufffda\ufffdb\ufffd'
    const onMedium = () => ({ url: `/${bad}` })
    const own = createRenderer({ alertTitles: { note: bad }, onMedium })
    const html = own.render('> [!NOTE]\n> ![](/c)')
    expect(html).toContain(`<p class="markdown-alert-title">${good}</p>`)
    expect(html).toContain(`<img src="/${good}" alt="">`)
  })
})

describe('errors of option functions', () => {
  const errors = [new Error('mine'), new RangeError('Invalid array length'), 'no error']
  const thrownBy = (work: () => unknown): unknown => {
    try {
      work()
    } catch (error) {
      return error
    }
    return undefined
  }

  it.each(errors)('are rethrown unchanged: %s', (error) => {
    const throwing = (): never => {
      throw error
    }
    for (const options of [{ onMedium: throwing }, { highlight: throwing }]) {
      const text = '![a](/b)\n\n```js\nd\n```'
      expect(thrownBy(() => createRenderer(options).render(text))).toBe(error)
      const incremental = new IncrementalRenderer({ markdownIt: MarkdownIt, ...options })
      incremental.update('a')
      expect(thrownBy(() => incremental.update(text))).toBe(error)
      expect(incremental.html).toBe('<p>a</p>')
    }
  })

  const throwing = (error: unknown) => ({
    markdownIt: class extends MarkdownIt {
      constructor(...args: ConstructorParameters<typeof MarkdownIt>) {
        super(...args)
        this.core.ruler.push('throwing', () => {
          throw error
        })
      }
    },
  })

  it('are rethrown from parser rules', () => {
    const error = new RangeError('Invalid array length')
    expect(thrownBy(() => createRenderer(throwing(error)).render('a'))).toBe(error)
  })

  it.each([
    new RangeError('Maximum call stack size exceeded'),
    Object.assign(new Error('too much recursion'), { name: 'InternalError' }),
    new SyntaxError('Invalid regular expression: /a/: Stack overflow'),
  ])('is not what an engine throws that has no room left: %s', (error) => {
    expect(createRenderer(throwing(error)).render('*a*')).toBe('*a*')
  })
})

describe('alertTitles', () => {
  const alertTitles = { note: 'Hinweis', tip: '<b>"&', important: '', warning: 'w', caution: 'c' }
  const titleOf = (
    kind: string,
    titles: MarkdownRendererOptions['alertTitles'] = alertTitles,
  ): string | undefined =>
    /markdown-alert-title">(.*)<\/p>/.exec(
      createRenderer({ alertTitles: titles }).render(`> [!${kind}]\n> a`),
    )?.[1]

  it('replace the markers as text', () => {
    expect(['NOTE', 'tip', 'Warning'].map((kind) => titleOf(kind))).toEqual([
      'Hinweis',
      '&lt;b&gt;&quot;&amp;',
      'w',
    ])
  })

  it('are English by default', () => {
    expect(titleOf('TIP', { note: 'Hinweis' })).toBe('Tip')
    expect(titleOf('NOTE', { note: 'Hinweis' })).toBe('Hinweis')
  })
})
