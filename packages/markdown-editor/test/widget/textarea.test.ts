import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Input, Textarea } from '../../src/widget/textarea.ts'

describe('Textarea', () => {
  it('renders a field with its name, an id and the usual size', () => {
    expect(new Textarea().render('body', 'Hello')).toBe(
      '<textarea name="body" id="id_body" cols="40" rows="10">\nHello</textarea>',
    )
  })

  it('escapes text and attributes once', () => {
    expect(new Textarea({ title: 'a"b<c&amp;' }).render('x', '</textarea><b> &amp;')).toBe(
      '<textarea name="x" id="id_x" cols="40" rows="10" title="a&#34;b&#60;c&#38;amp;">\n' +
        '&#60;/textarea&#62;&#60;b&#62; &#38;amp;</textarea>',
    )
  })

  it('shows null and undefined as empty, and other values as text', () => {
    const textarea = new Textarea()
    expect(textarea.render('x', null)).toMatch(/>\n<\/textarea>$/)
    expect(textarea.render('x', undefined)).toMatch(/>\n<\/textarea>$/)
    expect(textarea.render('x', 0)).toMatch(/>\n0<\/textarea>$/)
  })

  it('keeps leading line feeds, because HTML drops only the one that is always added', () => {
    expect(new Textarea().render('x', '\n\nx')).toMatch(/>\n\n\nx<\/textarea>$/)
  })

  it('writes true as a bare attribute and leaves false, null and undefined out (F36)', () => {
    const html = new Textarea({ required: true, disabled: false, maxlength: null }).render(
      'x',
      '',
      {
        readonly: undefined,
      },
    )
    expect(html).toContain(' required>')
    expect(html).not.toMatch(/disabled|maxlength|readonly/)
  })

  it('writes each attribute once, whatever the case of its name; the later one wins and classes add up (F36)', () => {
    const html = new Textarea({ ID: 'one', rows: 4, class: 'a' }).render('x', '', {
      id: 'two',
      Class: 'b',
    })
    expect(html).toBe('<textarea name="x" id="two" cols="40" rows="4" class="a b">\n</textarea>')
  })

  it('uses its name argument for the name and for the id that a label can reference', () => {
    expect(new Textarea().render('a b"c', '', { name: 'other' })).toContain(
      'name="a b&#34;c" id="id_a_b&#34;c"',
    )
    expect(new Textarea().render('x', '', { id: null })).not.toContain('id=')
  })

  it.each(['', ' ', 'a b', 'a=b', 'a"b', "a'b", 'a>b', 'a/b', 'a\u0000b', '<'])(
    'refuses the attribute name %j',
    (name) => {
      expect(() => new Textarea({ [name]: '1' })).toThrow(
        /attrs must have only valid names of HTML attributes/,
      )
      expect(() => new Textarea().render('x', '', { [name]: '1' })).toThrow(/attrs/)
    },
  )

  it('escapes any text and any attribute value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, title) => {
        const html = new Textarea({ title }).render('x', text)
        expect(html.match(/[<>]/g)).toEqual(['<', '>', '<', '>'])
        expect(html.match(/"/g)?.length).toBe(10)
      }),
      { numRuns: 100 },
    )
  })

  it('finds its value in submitted data', () => {
    const textarea = new Textarea()
    const form = new FormData()
    form.set('body', 'x')
    form.set('file', new File(['x'], 'x.txt'))
    expect(textarea.valueFrom(form, 'body')).toBe('x')
    expect(textarea.valueFrom(form, 'file')).toBe(null)
    expect(textarea.valueFrom(new URLSearchParams('body=y'), 'body')).toBe('y')
    expect(textarea.valueFrom({ body: 'z' }, 'body')).toBe('z')
    expect(textarea.valueFrom({ body: ['z'] }, 'body')).toBe(null)
    expect(textarea.valueFrom({}, 'toString')).toBe(null)
  })
})

describe('Input', () => {
  it('renders a one-line field', () => {
    expect(new Input('text').render('title', 'a"b', { required: true })).toBe(
      '<input type="text" name="title" id="id_title" value="a&#34;b" required>',
    )
    expect(new Input('number').render('count', null)).toBe(
      '<input type="number" name="count" id="id_count">',
    )
    expect(new Input('checkbox').render('public', true)).toBe(
      '<input type="checkbox" name="public" id="id_public" checked>',
    )
  })
})
