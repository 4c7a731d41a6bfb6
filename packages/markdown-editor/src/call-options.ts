import {
  anything,
  type Check,
  ConfigurationError,
  type Input,
  optional,
  Problem,
  parse,
} from '@quillgate/server/core'
import type { SqlExecutor } from '@quillgate/server/database'
import type { Storage } from '@quillgate/storage'
import type { MediaListOptions } from './media/ledger/media-list.ts'
import type { EditorUser } from './media/ledger/principal.ts'
import { type Actor, type Owner, parseOwner } from './media/ledger/principal.ts'
import type { RecordKey } from './media/ledger/record-texts.ts'
import { storage } from './options.ts'

// The options of an editor's own methods. Without these checks, a misspelt option would have no
// effect: a sweep with `dryrun: true` would delete files.

/** Accepts an executor. The transactions of ORMs and drivers have only some of its members. */
const executor: Check<SqlExecutor> = (value) => {
  const { dialect, query, execute } = Object(value) as Partial<SqlExecutor>
  return typeof query === 'function' && typeof execute === 'function' && typeof dialect === 'string'
    ? (value as SqlExecutor)
    : new Problem('must be an SqlExecutor: pass database.executor(trx) or the executor of your ORM')
}

const ACTOR = { actor: optional(anything<Actor>()) }
const SAVE = { ...ACTOR, tx: optional(executor) }
const CLEANUP = { ...ACTOR, record: optional(anything<RecordKey & { readonly field?: string }>()) }
const LIST = {
  owner: optional(anything<Owner>()),
  state: optional(anything<NonNullable<MediaListOptions['state']>>()),
  limit: optional(anything<number>()),
  cursor: optional(anything<string>()),
}

/** Checks `{ actor }`. @throws ConfigurationError that names the call */
export function actorOptions(call: string, options: unknown = {}): Input<typeof ACTOR> {
  return parse(ACTOR, options, call)
}

/** Checks `{ tx, actor }`. @throws ConfigurationError that names the call */
export function saveOptions(call: string, options: unknown = {}): Input<typeof SAVE> {
  return parse(SAVE, options, call)
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
 * @throws ConfigurationError that names the call; QuillgateError `invalid_user` (500) for an
 * invalid owner
 */
export function ownerOption<User extends EditorUser>(
  call: string,
  options: unknown = {},
): ReturnType<typeof parseOwner<User>> {
  const { owner } = parse({ owner: optional(anything<Owner<User>>()) }, options, call)
  return parseOwner(owner as Owner<User>) // It refuses undefined.
}

/** Checks the target of `copyTo`. @throws ConfigurationError */
export function checkTarget(target: unknown): asserts target is Storage {
  const checked = storage(target)
  if (checked instanceof Problem) throw new ConfigurationError('copyTo', checked.text)
}
