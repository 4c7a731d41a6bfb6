import {
  ConfigurationError,
  checkedElsewhere,
  checkOptions,
  mustBeBoolean,
  mustBeFunction,
  mustBeOneOf,
  mustHave,
  type OptionChecks,
} from '@quillgate/server/core'
import { checkPrefix } from '@quillgate/server/database'
import type { EditorUser } from './http/index.ts'
import type { MarkdownEditorOptions } from './options.ts'

const CHECKS: OptionChecks<MarkdownEditorOptions> = {
  secret: checkedElsewhere,
  database: checkedElsewhere,
  storage: checkStorage,
  authenticate: mustBeFunction,
  settings: checkedElsewhere,
  basePath: checkedElsewhere,
  publicOrigin: checkedElsewhere,
  trustedProxies: checkedElsewhere,
  proxyHeader: checkedElsewhere,
  cors: checkedElsewhere,
  csrf: mustHave('verify'),
  rateLimiter: mustHave('consume'),
  renderer: mustHave('render'),
  uploadHandler: mustHave('validate', 'save'),
  authorize: mustBeFunction,
  delivery: mustBeOneOf('stream', 'redirect'),
  canFinalize: mustBeFunction,
  canManage: mustBeFunction,
  scan: mustBeFunction,
  transform: mustBeFunction,
  onFinalized: mustBeFunction,
  onDeleted: mustBeFunction,
  records: mustHave('all'),
  recordsDatabase: mustBeOneOf('same', 'separate'),
  existingRecords: mustBeBoolean,
  migrate: mustBeBoolean,
  prefix: checkPrefix,
  logger: mustHave('warn', 'error'),
  clock: mustBeFunction,
}

/** Other libraries take a path or URL, so for a string the error shows the call to write instead. */
export function checkStorage(value: unknown, name: string): void {
  if (typeof value !== 'string') {
    mustHave('write', 'read', 'stat', 'copy', 'remove', 'list')(value, name)
    return
  }
  const call = /^s3:/i.test(value)
    ? 's3FromUrl(…)'
    : `localFiles({ directory: ${JSON.stringify(value)} })`
  throw new ConfigurationError(name, `must be a storage object, not a string: write ${call}`)
}

/** Checks the options for records in another database against each other. */
function checkRecords<User extends EditorUser>(options: MarkdownEditorOptions<User>): void {
  const { records, recordsDatabase, settings } = options
  if (recordsDatabase !== 'separate') return
  if (typeof records?.load !== 'function') {
    throw new ConfigurationError(
      'records.load',
      "is needed with recordsDatabase: 'separate', to read one record",
    )
  }
  if (settings?.orphanGrace === 0) {
    const problem =
      "cannot be 0 with recordsDatabase: 'separate': an orphan must live as long as a save may take"
    throw new ConfigurationError('settings.orphanGrace', problem, 0)
  }
}

/**
 * Checks the shape of the options; what they say is checked by those who use them.
 *
 * @throws ConfigurationError that names the option
 */
export function checkEditorOptions<User extends EditorUser>(
  options: MarkdownEditorOptions<User>,
): void {
  checkOptions<MarkdownEditorOptions<User>>(options, CHECKS, [
    'secret',
    'database',
    'storage',
    'authenticate',
  ])
  checkRecords(options)
}
