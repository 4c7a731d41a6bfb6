import { MarkdownEditorWidget } from '../widget/markdown-editor-widget.ts'
import type { FormWidget } from '../widget/textarea.ts'
import type { AdminField, ModelAdmin } from './model-admin.ts'

/** A class that makes admins: what {@link MarkdownEditorAdminMixin} extends. */
// biome-ignore lint/suspicious/noExplicitAny: TypeScript wants `any[]` in the constructor type of a mixin
export type ModelAdminClass = abstract new (...args: any[]) => ModelAdmin

/** What the mixin adds to the objects of an admin class. */
export interface MarkdownEditorAdmin {
  formFieldFor(field: AdminField): FormWidget
  /** The editor for a field. Override it to use an editor's own settings: `return editor.widget()`. */
  markdownWidgetFor(field: AdminField): MarkdownEditorWidget
}

// biome-ignore lint/suspicious/noExplicitAny: as above
type MarkdownEditorAdminClass = abstract new (...args: any[]) => MarkdownEditorAdmin

/** What the mixin adds to an admin class itself. */
export interface MarkdownEditorAdminStatics {
  /** Names of the text fields that get the editor; null: every text field; an empty list: none. */
  markdownFields: readonly string[] | null
}

/**
 * Gives text fields of an admin class the markdown editor. It stands before the admin base, so that its `formFieldFor`
 * is asked first; fields of other types are left to the base.
 *
 * @example
 * class PostAdmin extends MarkdownEditorAdminMixin(ModelAdmin) {
 *   static override markdownFields = ['body']
 *   override markdownWidgetFor() {
 *     return editor.widget()
 *   }
 * }
 */
export function MarkdownEditorAdminMixin<Base extends ModelAdminClass>(
  base: Base,
): Base & MarkdownEditorAdminStatics & MarkdownEditorAdminClass {
  abstract class WithMarkdownEditor extends base implements MarkdownEditorAdmin {
    static markdownFields: readonly string[] | null = null

    override formFieldFor(field: AdminField): FormWidget {
      const { markdownFields } = this.constructor as unknown as MarkdownEditorAdminStatics
      const wanted = field.type === 'text' && (markdownFields === null || markdownFields.includes(field.name))
      return wanted ? this.markdownWidgetFor(field) : super.formFieldFor(field)
    }

    markdownWidgetFor(_field: AdminField): MarkdownEditorWidget {
      return new MarkdownEditorWidget()
    }
  }
  return WithMarkdownEditor
}
