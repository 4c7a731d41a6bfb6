import { createRequire } from 'node:module'
import { ConfigurationError } from '@quillgate/server/core'

/** A class of records: what {@link MarkdownCleanupMixin} extends. */
// biome-ignore lint/suspicious/noExplicitAny: TypeScript wants `any[]` in the constructor type of a mixin
export type RecordClass = abstract new (...args: any[]) => object

/** The static members that the mixin adds to a class of records. */
export interface MarkdownCleanup {
  /** Names of the fields with markdown; null: every text field; an empty list: none. */
  markdownCleanupFields: readonly string[] | null
}

type Typeorm = Pick<typeof import('typeorm'), 'BeforeInsert' | 'BeforeUpdate'>

/** Classes of records that `typeormCleanup` has been called for. */
const followed = new WeakSet<object>()

/**
 * Declares that saving a record takes care of the media in its texts. It only declares, because
 * classes are defined before the editor exists: `typeormCleanup(editor, dataSource)` at start-up
 * does the rest. Without that call, TypeORM throws a `ConfigurationError` when it saves an instance
 * of a class that has decorators. It does not say when plain objects are saved, or records of an
 * `EntitySchema`.
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
  guard(WithMarkdownCleanup.prototype)
  return WithMarkdownCleanup
}

/** The fields that a class declares; undefined when it does not use the mixin. */
export function declaredCleanupFields(target: unknown): readonly string[] | null | undefined {
  return typeof target === 'function' && 'markdownCleanupFields' in target
    ? (target as unknown as MarkdownCleanup).markdownCleanupFields
    : undefined
}

/** Notes that `typeormCleanup` has been called for a class of records. */
export function noteFollowed(target: unknown): void {
  if (typeof target === 'function') followed.add(target)
}

/** Lets TypeORM call a method before it inserts or updates a record. */
function guard(prototype: object): void {
  const typeorm = findTypeorm()
  if (typeorm === null) return
  const name = 'assertMarkdownCleanup'
  Object.defineProperty(prototype, name, {
    value: assertFollowed,
    configurable: true,
    writable: true,
  })
  typeorm.BeforeInsert()(prototype, name)
  typeorm.BeforeUpdate()(prototype, name)
}

function assertFollowed(this: object): void {
  const { constructor: own } = this
  for (let target: object | null = own; target !== null; target = Object.getPrototypeOf(target)) {
    if (followed.has(target)) return
  }
  throw new ConfigurationError(
    own.name,
    'uses MarkdownCleanupMixin, but its media are not taken care of. ' +
      'Call typeormCleanup(editor, dataSource) at start-up, before the first record is saved',
  )
}

/** TypeORM, which an application that uses the mixin has installed; hidden from bundlers. */
function findTypeorm(): Typeorm | null {
  try {
    return createRequire(import.meta.url)('typeorm') as Typeorm
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null
    throw error
  }
}
