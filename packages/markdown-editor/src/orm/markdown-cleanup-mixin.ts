/** A class of records that {@link MarkdownCleanupMixin} can extend. */
// biome-ignore lint/suspicious/noExplicitAny: TypeScript requires `any[]` in the constructor type of a mixin
export type RecordClass = abstract new (...args: any[]) => object

/** The static members that the mixin adds to a class of records. */
export interface MarkdownCleanup {
  /**
   * Names of the fields with Markdown. Null means every text field. An empty list means no field.
   */
  markdownCleanupFields: readonly string[] | null
}

/**
 * Declares the Markdown fields of a record class. When such a record is saved, the references to
 * media in its texts are updated. The mixin adds no hooks, because classes are defined before the
 * editor is created. To add the hooks, call `typeormCleanup(editor, dataSource)` at start-up.
 *
 * @example
 * class Post extends MarkdownCleanupMixin(BaseEntity) {
 *   static override markdownCleanupFields = ['body']
 * }
 */
export function MarkdownCleanupMixin<Base extends RecordClass>(base: Base): Base & MarkdownCleanup {
  abstract class WithMarkdownCleanup extends base {
    static markdownCleanupFields: readonly string[] | null = null
  }
  return WithMarkdownCleanup
}

/** Returns the `markdownCleanupFields` of a class, or undefined if it does not declare them. */
export function declaredCleanupFields(target: unknown): readonly string[] | null | undefined {
  return typeof target === 'function' && 'markdownCleanupFields' in target
    ? (target as unknown as MarkdownCleanup).markdownCleanupFields
    : undefined
}
