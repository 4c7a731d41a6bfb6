import {
  anything,
  ConfigurationError,
  type Input,
  optional,
  Problem,
  parse,
} from '@quillgate/server/core'
import type { SqlExecutor } from '@quillgate/server/database'
import type { Storage } from '@quillgate/storage'
import type { EditorUser } from './http/index.ts'
import type { MediaListOptions } from './media/ledger/media-list.ts'
import { type Actor, type MediaOwner, parseOwner } from './media/owner.ts'
import type { RecordKey } from './media/record-texts.ts'
import { storage } from './options.ts'

// The options of an editor's own methods. Without these checks, a misspelt option would have no effect: a sweep with
// `dryrun: true` would delete files.

const ACTOR = { actor: optional(anything<Actor>()) }
const CLEANUP = { ...ACTOR, record: optional(anything<RecordKey & { readonly field?: string }>()) }
const LIST = {
  owner: optional(anything<MediaOwner>()),
  state: optional(anything<NonNullable<MediaListOptions['state']>>()),
  limit: optional(anything<number>()),
  cursor: optional(anything<string>()),
}

/** Checks `{ actor }`. @throws ConfigurationError that names the call */
export function actorOptions(call: string, options: unknown = {}): Input<typeof ACTOR> {
  return parse(ACTOR, options, call)
}

/** Checks the options of `deleteOrphanedMedia`. @throws ConfigurationError */
export function cleanupOptions(options: unknown = {}): Input<typeof CLEANUP> {
  return parse(CLEANUP, options, 'deleteOrphanedMedia')
}

/** Checks the options of `media.list`. @throws ConfigurationError */
export function listOptions(options: unknown = {}): Input<typeof LIST> {
  return parse(LIST, options, 'media.list')
}

/**
 * Reads `{ owner }`.
 *
 * @throws ConfigurationError that names the call; QuillgateError `invalid_user` (500) for an owner that is none
 */
export function ownerOption<User extends EditorUser>(
  call: string,
  options: unknown = {},
): ReturnType<typeof parseOwner<User>> {
  const { owner } = parse({ owner: optional(anything<MediaOwner<User>>()) }, options, call)
  return parseOwner(owner as MediaOwner<User>) // It refuses undefined.
}

/** Checks the target of `copyTo`. @throws ConfigurationError */
export function checkTarget(target: unknown): asserts target is Storage {
  const checked = storage(target)
  if (checked instanceof Problem) throw new ConfigurationError('copyTo', checked.text)
}

/**
 * Checks the transaction of a record, which may be absent. The transactions of ORMs and drivers have only some of the
 * members of an executor.
 *
 * @param place where the options of the call are, for the error
 * @throws ConfigurationError that says what to pass
 */
export function checkTransaction(call: string, value: unknown, place: 'third' | 'fourth'): void {
  if (value === undefined || value === null) return
  const { dialect, query, execute } = value as Partial<SqlExecutor>
  if (typeof query === 'function' && typeof execute === 'function' && typeof dialect === 'string')
    return
  throw new ConfigurationError(
    call,
    'takes a transaction as an SqlExecutor: pass database.executor(trx) or the executor of your ORM; ' +
      `options are the ${place} argument`,
  )
}
