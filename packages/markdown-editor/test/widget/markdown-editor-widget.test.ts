import { ConfigurationError } from '@quillgate/server/core'
import { describe, expect, it } from 'vitest'
import { renderAssets } from '../../src/widget/assets.ts'
import { renderSaved } from '../../src/widget/draft.ts'
import { MarkdownEditorWidget } from '../../src/widget/markdown-editor-widget.ts'
import { Input, Textarea } from '../../src/widget/textarea.ts'
import { WIDGET_DEFAULTS, type WidgetDefaults } from '../../src/widget/widget-defaults.ts'

const withDefaults = (defaults: Partial<WidgetDefaults>): MarkdownEditorWidget =>
  new MarkdownEditorWidget({ editor: { widgetDefaults: { ...WIDGET_DEFAULTS, ...defaults } } })

describe('MarkdownEditorWidget', () => {
  it('is a textarea inside <markdown-editor>, whose attributes are the configuration', () => {
    const widget = new MarkdownEditorWidget({ toolbar: ['bold', 'separator', 'link'] })
    expect(widget).toBeInstanceOf(Textarea)
    expect(widget.render('body', 'Hello')).toBe(
      '<markdown-editor class="md-editor" toolbar="bold | link" upload-url="/md-editor/upload"' +
        ' finalize-url="/md-editor/finalize" temp-url="/media/md-editor/tmp/" height="300px" theme="auto">' +
        '<textarea name="body" id="id_body" cols="40" rows="10" class="md-editor-textarea"' +
        ' placeholder="Add your comment here...">\nHello</textarea></markdown-editor>',
    )
  })

  it('renders the toolbar, URLs, height, placeholder and attributes', () => {
    const html = new MarkdownEditorWidget({
      toolbar: [],
      uploadUrl: '/up?a=1&b=2',
      finalizeUrl: '/fin',
      height: '50vh',
      placeholder: 'Write "here"',
      attrs: { id: 'mine', class: 'wide', required: true },
    }).render('body', null)
    expect(html).toContain(' toolbar="" upload-url="/up?a=1&#38;b=2" finalize-url="/fin"')
    expect(html).toContain(' height="50vh"')
    expect(html).toContain(' id="mine"')
    expect(html).toContain(
      ' class="md-editor-textarea wide" placeholder="Write &#34;here&#34;" required>',
    )
  })

  it('has a file input for pages without JavaScript', () => {
    const widget = withDefaults({ uploadTypes: ['image/png', 'text/csv'] })
    expect(widget.render('body', '')).not.toContain('noscript')
    const editor = {
      widgetDefaults: { ...WIDGET_DEFAULTS, uploadTypes: ['image/png', 'text/csv'] },
    }
    const html = new MarkdownEditorWidget({ editor, fileInput: true, locale: 'de-AT' }).render(
      'body',
      '',
    )
    expect(html).toContain(
      '</textarea><noscript><label>Dateien hinzufügen <input type="file" name="body-files" multiple' +
        ' accept="image/png,text/csv"></label></noscript></markdown-editor>',
    )
  })

  it('uses the settings for options that are null or missing', () => {
    const settings = {
      ...WIDGET_DEFAULTS,
      toolbar: ['bold'] as const,
      uploadUrl: '/u',
      finalizeUrl: '/f',
      height: '10em',
      placeholder: 'P',
      theme: 'dark' as const,
      tempUrl: '/m/tmp/',
      uploadTypes: ['image/png', 'application/pdf'],
      maxUploadSize: 5000,
      embedHosts: ['video.example'],
      highlightLanguages: ['css', 'python'],
    }
    const nothing = {
      toolbar: null,
      uploadUrl: null,
      finalizeUrl: null,
      height: null,
      placeholder: null,
      attrs: null,
    }
    for (const options of [{}, nothing]) {
      const html = new MarkdownEditorWidget({
        ...options,
        editor: { widgetDefaults: settings },
      }).render('x', '')
      expect(html).toContain('toolbar="bold" upload-url="/u" finalize-url="/f" temp-url="/m/tmp/"')
      expect(html).toContain(
        'upload-types="image/png application/pdf" max-upload-size="5000" embed-hosts="video.example"',
      )
      expect(html).toContain(' highlight-languages="css python"')
      expect(html).toContain('height="10em" theme="dark"')
      expect(html).toContain('placeholder="P"')
    }
  })

  it('passes serializable renderer options to the preview as JSON', () => {
    const renderOptions = { alertTitles: { note: 'The "note"' }, maxLength: 9 }
    const html = withDefaults({ renderOptions }).render('x', '')
    const [, attribute = ''] = / render-options="([^"]*)"/.exec(html) ?? []
    expect(JSON.parse(attribute.replaceAll('&#34;', '"'))).toEqual(renderOptions)
    expect(new MarkdownEditorWidget().render('x', '')).not.toContain('render-options')
  })

  it('renders the URL of a custom preview worker', () => {
    const html = new MarkdownEditorWidget({ previewWorker: '/static/preview.js' }).render('x', '')
    expect(html).toContain(' preview-worker="/static/preview.js"')
  })

  it('prefers the placeholder of its options, then of the attributes, then of the settings', () => {
    const placeholder = (options: object): string | undefined =>
      /placeholder="([^"]*)"/.exec(new MarkdownEditorWidget(options).render('x', ''))?.[1]
    expect(placeholder({ placeholder: 'option', attrs: { placeholder: 'attrs' } })).toBe('option')
    expect(placeholder({ attrs: { placeholder: 'attrs' } })).toBe('attrs')
    expect(placeholder({ placeholder: '' })).toBe('')
    expect(placeholder({})).toBe('Add your comment here...')
  })

  it('derives the rows of the textarea from its height unless the attributes contain rows', () => {
    const rows = (options: object): string | undefined =>
      /rows="(\d+)"/.exec(new MarkdownEditorWidget(options).render('x', ''))?.[1]
    expect(rows({})).toBe('10')
    expect(rows({ height: 500 })).toBe('18')
    expect(rows({ height: '20rem' })).toBe('11')
    expect(rows({ height: '10px' })).toBe('2')
    expect(rows({ height: '50vh' })).toBe('10')
    expect(rows({ height: 500, attrs: { rows: 3 } })).toBe('3')
  })

  it.each([
    '300px;position:fixed',
    '300',
    'calc(1px)',
    '-5px',
    '1px 2px',
    'url(x)',
    Number.NaN,
    -1,
  ])('refuses the height %j', (height) => {
    expect(() => new MarkdownEditorWidget({ height })).toThrow(
      /^widget\.height must be a CSS length/,
    )
  })

  it('refuses unknown buttons and lists the known ones', () => {
    expect(() => new MarkdownEditorWidget({ toolbar: ['bold', 'blink' as never] })).toThrow(
      /^widget\.toolbar\[1\] must be one of bold, italic, .*, redo and separator \(got "blink"\)/,
    )
    expect(() => new MarkdownEditorWidget({ toolbar: 'bold' as never })).toThrow(
      /^widget\.toolbar must be an array/,
    )
  })

  it('renders the editing surface only if the option is given', () => {
    expect(new MarkdownEditorWidget({ surface: 'native' }).render('body', '')).toContain(
      ' surface="native"',
    )
    expect(new MarkdownEditorWidget().render('body', '')).not.toContain('surface=')
    expect(() => new MarkdownEditorWidget({ surface: 'paper' as never })).toThrow(
      /^widget\.surface must be/,
    )
  })

  it('renders the initial mode only if the option is given', () => {
    expect(new MarkdownEditorWidget({ mode: 'split' }).render('body', '')).toContain(
      ' mode="split"',
    )
    expect(new MarkdownEditorWidget().render('body', '')).not.toContain('mode=')
    expect(() => new MarkdownEditorWidget({ mode: 'read' as never })).toThrow(
      /^widget\.mode must be/,
    )
  })

  it('renders the locale of the editor unless it is English', () => {
    expect(new MarkdownEditorWidget().render('body', '')).not.toContain(' locale=')
    expect(new MarkdownEditorWidget({ locale: 'DE-ch' }).render('body', '')).toContain(
      ' locale="de-CH"',
    )
    expect(new MarkdownEditorWidget({ locale: 'en' }).render('body', '')).not.toContain('locale')
    for (const locale of ['', 'not a tag', 'de_DE', 7 as never]) {
      expect(() => new MarkdownEditorWidget({ locale })).toThrow(/^widget\.locale must be/)
    }
  })

  it('refuses an unknown theme', () => {
    expect(() => withDefaults({ theme: 'blue' as never })).toThrow(/^widget\.theme must be/)
  })

  it('lists its style sheet and its script', () => {
    expect(withDefaults({ assetBase: '/e/assets/abc/' }).assets).toEqual({
      css: ['/e/assets/abc/markdown-editor.css'],
      js: ['/e/assets/abc/markdown-editor.js'],
    })
  })
})

describe('the options of a widget', () => {
  it.each([
    [{ hieght: 3 }, 'widget.hieght is not an option. Perhaps height is meant.'],
    [{ upload_url: '/u' }, 'widget.upload_url is not an option. Perhaps uploadUrl is meant.'],
    [{ toolbr: [] }, 'widget.toolbr is not an option. Perhaps toolbar is meant.'],
    [{ finalizeUrl: 5 }, 'widget.finalizeUrl must be a string, or null (got 5).'],
    [
      { attrs: 'required' },
      'widget.attrs must be an object of HTML attributes, or null (got "required").',
    ],
    [
      { editor: {} },
      'widget.editor must be the editor that createMarkdownEditor returns, or null (got an object).',
    ],
    ['bold', 'widget must be an object.'],
  ])('are checked: %j is refused', (options, message) => {
    expect(() => new MarkdownEditorWidget(options as object)).toThrow(ConfigurationError)
    expect(() => new MarkdownEditorWidget(options as object)).toThrow(message)
  })
})

describe('renderAssets', () => {
  it('is empty for widgets that need neither scripts nor style sheets', () => {
    expect(renderAssets(new Textarea().assets, new Input('text').assets)).toBe('')
  })

  it('lists each file once, escaped', () => {
    const widget = withDefaults({ assetBase: '/a"b/' })
    expect(renderAssets(widget.assets, widget.assets)).toBe(
      '<link rel="stylesheet" href="/a&#34;b/markdown-editor.css">\n' +
        '<script type="module" src="/a&#34;b/markdown-editor.js"></script>',
    )
  })
})

describe('drafts of a widget', () => {
  it('are refused with an unknown property, such as a misspelled user', () => {
    const draft = { key: 'post/17/body', usr: 'u1' } as never
    expect(() => new MarkdownEditorWidget({ draft })).toThrow(/draft\.usr.*user/)
  })

  it('have a key, an optional user, and the maximum age of temporary files', () => {
    const editor = { widgetDefaults: { ...WIDGET_DEFAULTS, tempMaxAge: 3600 } }
    const plain = new MarkdownEditorWidget({ editor, draft: 'post/17/body' }).render('body', '')
    expect(plain).toContain(' draft="post/17/body" draft-max-age="3600"')
    const owned = new MarkdownEditorWidget({ editor, draft: { key: 'post/17/body', user: '"u1"' } })
    expect(owned.render('body', '')).toContain(
      ' draft="post/17/body" draft-user="&#34;u1&#34;" draft-max-age="3600"',
    )
    const fields = ['title', 'tags']
    const more = new MarkdownEditorWidget({ editor, draft: { key: 'post/17/body', fields } })
    expect(more.render('body', '')).toContain(' draft-fields="title tags"')
    expect(new MarkdownEditorWidget({ editor, draft: null }).render('body', '')).not.toContain(
      'draft',
    )
  })

  it('are marked as saved by a meta element', () => {
    expect(renderSaved('post/17/body', 'post/"/title')).toBe(
      '<meta name="md-editor-saved" content="post/17/body post/&#34;/title">',
    )
  })

  it.each(['', 'two words', 'x'.repeat(501)])('cannot have the key %j', (key) => {
    expect(() => new MarkdownEditorWidget({ draft: key })).toThrow('draft must have a key')
    expect(() => renderSaved(key)).toThrow('draft must have a key')
  })
})
