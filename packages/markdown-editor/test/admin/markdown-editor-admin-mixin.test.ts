import { describe, expect, it } from 'vitest'
import { type AdminField, MarkdownEditorAdminMixin, ModelAdmin } from '../../src/admin/index.ts'
import { type FormWidget, MarkdownEditorWidget, Textarea } from '../../src/widget/index.ts'

const body: AdminField = { name: 'body', type: 'text' }
const summary: AdminField = { name: 'summary', type: 'text' }
const title: AdminField = { name: 'title', type: 'string' }

describe('ModelAdmin', () => {
  it('shows long text in a textarea and everything else in an input', () => {
    const admin = new ModelAdmin()
    expect(admin.formFieldFor(body)).toBeInstanceOf(Textarea)
    expect(admin.formFieldFor(body)).not.toBeInstanceOf(MarkdownEditorWidget)
    expect(admin.formFieldFor(title).render('title', 'x')).toContain('<input type="text"')
    expect(admin.formFieldFor({ name: 'at', type: 'datetime' }).render('at', null)).toContain('type="datetime-local"')
  })
})

describe('MarkdownEditorAdminMixin', () => {
  it('gives every text field the editor', () => {
    class PostAdmin extends MarkdownEditorAdminMixin(ModelAdmin) {}
    const admin = new PostAdmin()
    expect(PostAdmin.markdownFields).toBe(null)
    expect(admin.formFieldFor(body)).toBeInstanceOf(MarkdownEditorWidget)
    expect(admin.formFieldFor(title)).not.toBeInstanceOf(Textarea)
  })

  it('gives only the named text fields the editor', () => {
    class PostAdmin extends MarkdownEditorAdminMixin(ModelAdmin) {
      static override markdownFields: string[] = ['body', 'title']
    }
    const admin = new PostAdmin()
    expect(admin.formFieldFor(body)).toBeInstanceOf(MarkdownEditorWidget)
    expect(admin.formFieldFor(summary)).not.toBeInstanceOf(MarkdownEditorWidget)
    expect(admin.formFieldFor(title)).not.toBeInstanceOf(Textarea)
  })

  it('keeps the lists of several admins apart', () => {
    class PostAdmin extends MarkdownEditorAdminMixin(ModelAdmin) {
      static override markdownFields: string[] = []
    }
    class CommentAdmin extends MarkdownEditorAdminMixin(ModelAdmin) {}
    expect(new PostAdmin().formFieldFor(body)).not.toBeInstanceOf(MarkdownEditorWidget)
    expect(new CommentAdmin().formFieldFor(body)).toBeInstanceOf(MarkdownEditorWidget)
  })

  it('uses the widget that the admin makes, and leaves other fields to its base', () => {
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
})
