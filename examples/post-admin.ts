import {
  MarkdownEditorAdminMixin,
  type MarkdownEditorWidget,
  ModelAdmin,
  renderAssets,
} from '@quillgate/markdown-editor'
import { editor } from './express-editor.ts'

class PostAdmin extends MarkdownEditorAdminMixin(ModelAdmin) {
  static override editor = editor
  static override markdownFields = ['body'] // null means every text field

  // Sets options of the widget. By default, the widget has no options.
  override markdownWidgetFor(): MarkdownEditorWidget {
    return editor.widget({ height: '40rem' })
  }
}

/** Returns the head and the fields of a page that edits a post. */
export function editPost(post: { readonly title: string; readonly body: string }): string[] {
  const widgets = new PostAdmin().formFieldsFor([
    { name: 'title', type: 'string' },
    { name: 'body', type: 'text' },
  ])
  const assets = Array.from(widgets.values(), (widget) => widget.assets)
  const title = widgets.get('title')?.render('title', post.title) ?? ''
  const body = widgets.get('body')?.render('body', post.body) ?? ''
  return [renderAssets(...assets), title, body]
}
