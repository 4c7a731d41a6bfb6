import { ConfigurationError } from '@quillgate/server/core'
import { MarkdownEditorWidget } from '../widget/markdown-editor-widget.ts'
import type { FormWidget } from '../widget/textarea.ts'
import { isWidgetSource, NOT_AN_EDITOR, type WidgetSource } from '../widget/widget-defaults.ts'
import type { AdminField, ModelAdmin } from './model-admin.ts'

/** An admin class that {@link MarkdownEditorAdminMixin} can extend. */
// biome-ignore lint/suspicious/noExplicitAny: TypeScript requires `any[]` in the constructor type of a mixin
export type ModelAdminClass = abstract new (...args: any[]) => ModelAdmin

/** The method that the mixin adds to an admin class. */
export interface MarkdownEditorAdmin {
  /** Returns the widget of a field. An override can return `editor.widget({ height: '40rem' })`. */
  markdownWidgetFor(field: AdminField): MarkdownEditorWidget
}

// biome-ignore lint/suspicious/noExplicitAny: as above
type MarkdownEditorAdminClass = abstract new (...args: any[]) => MarkdownEditorAdmin

/** The static members that the mixin adds to an admin class. */
export interface MarkdownEditorAdminStatics {
  editor: WidgetSource | null
  /** The text fields that get the editor. Null means every text field. */
  markdownFields: readonly string[] | null
}

/**
 * Adds the markdown editor to text fields of an admin class. Other fields keep their widgets.
 *
 * @throws ConfigurationError if the base class is not an admin class. The constructor throws it if
 * `editor` is missing and `markdownWidgetFor` is not overridden. `formFieldsFor` throws it for an
 * unknown name in `markdownFields`.
 * @example
 * class PostAdmin extends MarkdownEditorAdminMixin(ModelAdmin) {
 *   static override editor = editor
 *   static override markdownFields = ['body']
 * }
 */
export function MarkdownEditorAdminMixin<Base extends ModelAdminClass>(
  base: Base,
): Base & MarkdownEditorAdminStatics & MarkdownEditorAdminClass {
  assertAdminClass(base)

  abstract class WithMarkdownEditor extends base implements MarkdownEditorAdmin {
    static editor: WidgetSource | null = null
    static markdownFields: readonly string[] | null = null

    // biome-ignore lint/suspicious/noExplicitAny: TypeScript requires `any[]` in the constructor of a mixin
    constructor(...args: any[]) {
      super(...args)
      const isOwn = this.markdownWidgetFor !== WithMarkdownEditor.prototype.markdownWidgetFor
      if (!isOwn) editorOf(this)
    }

    override formFieldFor(field: AdminField): FormWidget {
      const { markdownFields } = staticsOf(this)
      const isMarkdown = field.type === 'text' && (markdownFields?.includes(field.name) ?? true)
      return isMarkdown ? this.markdownWidgetFor(field) : super.formFieldFor(field)
    }

    override formFieldsFor(fields: readonly AdminField[]): Map<string, FormWidget> {
      const { name, markdownFields } = staticsOf(this)
      const names = fields.map((field) => field.name)
      const unknown = markdownFields?.find((each) => !names.includes(each))
      if (unknown === undefined) return super.formFieldsFor(fields)
      const problem = `must contain only names of form fields: ${names.join(', ')}`
      throw new ConfigurationError(`${name}.markdownFields`, problem, unknown)
    }

    markdownWidgetFor(_field: AdminField): MarkdownEditorWidget {
      return new MarkdownEditorWidget({ editor: editorOf(this) })
    }
  }
  return WithMarkdownEditor
}

function staticsOf(admin: object): MarkdownEditorAdminStatics & { readonly name: string } {
  return admin.constructor as unknown as MarkdownEditorAdminStatics & { readonly name: string }
}

function editorOf(admin: object): WidgetSource {
  const { name, editor } = staticsOf(admin)
  if (isWidgetSource(editor)) return editor
  throw new ConfigurationError(
    `${name}.editor`,
    `${NOT_AN_EDITOR}. Write "static editor = editor" in the class`,
    editor ?? undefined,
  )
}

function assertAdminClass(base: unknown): void {
  const prototype: unknown = typeof base === 'function' ? base.prototype : null
  const { formFieldFor, formFieldsFor } = (prototype ?? {}) as Partial<ModelAdmin>
  if (typeof formFieldFor === 'function' && typeof formFieldsFor === 'function') return
  throw new ConfigurationError(
    'MarkdownEditorAdminMixin',
    'needs the admin class, which has formFieldFor(). Apply other mixins to the class that this mixin returns: ' +
      'write "class PostAdmin extends OtherMixin(MarkdownEditorAdminMixin(ModelAdmin))"',
    typeof base === 'function' ? base.name || 'a class without a name' : base,
  )
}
