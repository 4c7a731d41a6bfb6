import {
  type CallChecks,
  ConfigurationError,
  checkedElsewhere,
  mustBeBoolean,
  mustBeFunction,
  type OptionCheck,
  optionalOptions,
} from '@quillgate/server/core'
import type { SqlExecutor } from '@quillgate/server/database'
import { checkStorage } from './check-options.ts'
import type { CheckOptions } from './media/check.ts'
import type { ActorOptions, Cleanup } from './media/cleanup.ts'
import type { CopyOptions } from './media/copy/copy-report.ts'
import type { MediaListOptions } from './media/ledger/media-list.ts'
import type { MediaOwner } from './media/owner.ts'
import type { MediaReferences } from './media/references/media-references.ts'
import type { SweepOptions } from './media/sweep/sweep.ts'

const actor = optionalOptions<ActorOptions>({ actor: checkedElsewhere })
const owner = optionalOptions<{ readonly owner: MediaOwner }>({ owner: checkedElsewhere })

/** A transaction, or nothing. Those of ORMs and drivers have only some of the members of an executor. */
const transaction: OptionCheck = (value, call) => {
  if (value === undefined || value === null) return
  const { dialect, query, execute } = value as Partial<SqlExecutor>
  if (typeof query === 'function' && typeof execute === 'function' && typeof dialect === 'string')
    return
  const place = call.endsWith('.set') ? 'fourth' : 'third'
  throw new ConfigurationError(
    call,
    'takes a transaction as an SqlExecutor: pass database.executor(trx) or the executor of your ORM; ' +
      `options are the ${place} argument`,
  )
}

/** The checks of an editor's own methods. */
export const EDITOR_CALLS: CallChecks<
  Record<'finalize' | 'deleteOrphanedMedia' | 'sweep' | 'check' | 'copyTo', unknown>
> = {
  finalize: [null, owner],
  deleteOrphanedMedia: [
    null,
    null,
    optionalOptions<NonNullable<Parameters<Cleanup['deleteOrphanedMedia']>[2]>>({
      actor: checkedElsewhere,
      record: checkedElsewhere,
    }),
  ],
  sweep: [
    optionalOptions<SweepOptions>({
      dryRun: mustBeBoolean,
      force: mustBeBoolean,
      limit: checkedElsewhere,
      keepGoing: mustBeBoolean,
      signal: checkedElsewhere,
    }),
  ],
  check: [
    optionalOptions<CheckOptions>({
      deleteStrays: mustBeBoolean,
      force: mustBeBoolean,
      verify: mustBeBoolean,
    }),
  ],
  copyTo: [
    checkStorage,
    optionalOptions<CopyOptions>({
      dryRun: mustBeBoolean,
      concurrency: checkedElsewhere,
      compare: checkedElsewhere,
      acceptLosses: mustBeBoolean,
      onProgress: mustBeFunction,
    }),
  ],
}

/** The checks of `editor.references`. */
export const REFERENCE_CALLS: CallChecks<MediaReferences> = {
  set: [null, null, transaction, actor],
  remove: [null, transaction, actor],
  settle: [null, actor],
  intend: [null, null, actor],
}

/** The checks of `editor.media`. */
export const MEDIA_CALLS: CallChecks<Record<'add' | 'list' | 'reject' | 'remove', unknown>> = {
  add: [null, owner],
  list: [
    optionalOptions<MediaListOptions>({
      owner: checkedElsewhere,
      state: checkedElsewhere,
      limit: checkedElsewhere,
      cursor: checkedElsewhere,
    }),
  ],
  reject: [null, actor],
  remove: [null, actor],
}
