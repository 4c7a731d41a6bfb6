/** A class of records: what {@link MarkdownCleanupMixin} extends. */
// biome-ignore lint/suspicious/noExplicitAny: TypeScript wants `any[]` in the constructor type of a mixin
export type RecordClass = abstract new (...args: any[]) => object

/** The static members that the mixin adds to a class of records. */
export interface MarkdownCleanup {
  /** Names of the fields with markdown; null: every text field; an empty list: none. */
  markdownCleanupFields: readonly string[] | null
}

/**
 * Declares that saving a record takes care of the media in its texts. It only declares, because
 * classes are defined before the editor exists: `typeormCleanup(editor, dataSource)` at start-up
 * does the rest.
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

/** The fields that a class declares; undefined when it does not use the mixin. */
export function declaredCleanupFields(target: unknown): readonly string[] | null | undefined {
  return typeof target === 'function' && 'markdownCleanupFields' in target
    ? (target as unknown as MarkdownCleanup).markdownCleanupFields
    : undefined
}
