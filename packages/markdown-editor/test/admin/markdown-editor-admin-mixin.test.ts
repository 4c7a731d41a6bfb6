import { ConfigurationError } from '@quillgate/server/core'
import { describe, expect, it } from 'vitest'
import { MarkdownEditorAdminMixin } from '../../src/admin/markdown-editor-admin-mixin.ts'
import { type AdminField, ModelAdmin } from '../../src/admin/model-admin.ts'
import { MarkdownEditorWidget } from '../../src/widget/markdown-editor-widget.ts'
import { type FormWidget, Textarea } from '../../src/widget/textarea.ts'
import { WIDGET_DEFAULTS } from '../../src/widget/widget-defaults.ts'

const editor = { widgetDefaults: { ...WIDGET_DEFAULTS, height: 77 } }
const body: AdminField = { name: 'body', type: 'text' }
const summary: AdminField = { name: 'summary', type: 'text' }
const title: AdminField = { name: 'title', type: 'string' }

describe('ModelAdmin', () => {
  it('shows long text in a textarea and everything else in an input', () => {
    const admin = new ModelAdmin()
    expect(admin.formFieldFor(body)).toBeInstanceOf(Textarea)
    expect(admin.formFieldFor(body)).not.toBeInstanceOf(MarkdownEditorWidget)
    expect(admin.formFieldFor(title).render('title', 'x')).toContain('<input type="text"')
    expect(admin.formFieldFor({ name: 'at', type: 'datetime' }).render('at', null)).toContain(
      'type="datetime-local"',
    )
  })
})

describe('MarkdownEditorAdminMixin', () => {
  it('uses the editor for every text field', () => {
    class PostAdmin extends MarkdownEditorAdminMixin(ModelAdmin) {
      static override editor = editor
    }
    const admin = new PostAdmin()
    expect(PostAdmin.markdownFields).toBe(null)
    expect(admin.formFieldFor(body)).toBeInstanceOf(MarkdownEditorWidget)
    expect(admin.formFieldFor(body).render('body', '')).toContain(' height="77px"')
    expect(admin.formFieldFor(title)).not.toBeInstanceOf(Textarea)
  })

  it('uses the editor only for the named text fields', () => {
    class PostAdmin extends MarkdownEditorAdminMixin(ModelAdmin) {
      static override editor = editor
      static override markdownFields: string[] = ['body', 'title']
    }
    const admin = new PostAdmin()
    expect(admin.formFieldFor(body)).toBeInstanceOf(MarkdownEditorWidget)
    expect(admin.formFieldFor(summary)).not.toBeInstanceOf(MarkdownEditorWidget)
    expect(admin.formFieldFor(title)).not.toBeInstanceOf(Textarea)
  })

  it('keeps the field lists of several admins separate', () => {
    class PostAdmin extends MarkdownEditorAdminMixin(ModelAdmin) {
      static override editor = editor
      static override markdownFields: string[] = []
    }
    class CommentAdmin extends MarkdownEditorAdminMixin(ModelAdmin) {
      static override editor = editor
    }
    expect(new PostAdmin().formFieldFor(body)).not.toBeInstanceOf(MarkdownEditorWidget)
    expect(new CommentAdmin().formFieldFor(body)).toBeInstanceOf(MarkdownEditorWidget)
  })

  it('uses the widget that the admin creates, and leaves other fields to its base class', () => {
    class Base extends ModelAdmin {
      readonly site: string
      constructor(site: string) {
        super()
        this.site = site
      }
      override formFieldFor(field: AdminField): FormWidget {
        return field.name === 'summary' ? new Textarea({ rows: 2 }) : super.formFieldFor(field)
      }
    }
    class PostAdmin extends MarkdownEditorAdminMixin(Base) {
      static override markdownFields: string[] = ['body']
      override markdownWidgetFor(): MarkdownEditorWidget {
        return new MarkdownEditorWidget({ height: 123 })
      }
    }
    const admin = new PostAdmin('mine')
    expect(admin.site).toBe('mine')
    expect(admin.formFieldFor(body).render('body', '')).toContain('height="123px"')
    expect(admin.formFieldFor(summary).render('summary', '')).toContain('rows="2"')
  })

  it('rejects an admin without an editor, and says what to write', () => {
    class PostAdmin extends MarkdownEditorAdminMixin(ModelAdmin) {}
    expect(() => new PostAdmin()).toThrow(ConfigurationError)
    expect(() => new PostAdmin()).toThrow(
      'PostAdmin.editor must be the editor that createMarkdownEditor returns. Write "static editor = editor" in the class.',
    )
    class WrongAdmin extends MarkdownEditorAdminMixin(ModelAdmin) {
      static override editor = 'mine' as never
    }
    expect(() => new WrongAdmin()).toThrow(/^WrongAdmin\.editor .* \(got "mine"\)\.$/)
  })

  it.each([
    ['a class that is not an admin', class Resource {}, 'Resource'],
    ['undefined', undefined, ''],
    ['the mixin itself', MarkdownEditorAdminMixin, 'MarkdownEditorAdminMixin'],
  ])('rejects %s as its base class, and says how to write the class', (_, base, got) => {
    const mix = () => MarkdownEditorAdminMixin(base as never)
    expect(mix).toThrow(ConfigurationError)
    expect(mix).toThrow(
      'write "class PostAdmin extends OtherMixin(MarkdownEditorAdminMixin(ModelAdmin))"',
    )
    expect(mix).toThrow(got)
  })

  const adminFor = (names: string[]) => {
    class PostAdmin extends MarkdownEditorAdminMixin(ModelAdmin) {
      static override editor = editor
      static override markdownFields = names
    }
    return new PostAdmin()
  }

  it('rejects names of fields that the form does not have, and lists the fields', () => {
    const fields = [title, body, summary]
    expect(() => adminFor(['bod']).formFieldsFor(fields)).toThrow(
      'PostAdmin.markdownFields must contain only names of form fields: title, body, summary (got "bod").',
    )
    expect([...adminFor(['body']).formFieldsFor(fields)].map(([name]) => name)).toEqual([
      'title',
      'body',
      'summary',
    ])
  })

  it('creates the widget of a single field even if markdownFields contains unknown names', () => {
    const admin = adminFor(['content'])
    expect(admin.formFieldFor({ name: 'consent', type: 'text' })).not.toBeInstanceOf(
      MarkdownEditorWidget,
    )
    expect(admin.formFieldFor({ name: 'content', type: 'text' })).toBeInstanceOf(
      MarkdownEditorWidget,
    )
  })
})
