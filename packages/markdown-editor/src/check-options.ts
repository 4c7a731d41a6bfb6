import { checkPrefix } from '@quillgate/database'
import {
  ConfigurationError,
  checkedElsewhere,
  checkOptions,
  mustBeBoolean,
  mustBeFunction,
  mustBeOneOf,
  mustHave,
  type OptionChecks,
} from '@quillgate/http'
import type { EditorUser } from './http/index.ts'
import type { MarkdownEditorOptions } from './options.ts'

const CHECKS: OptionChecks<MarkdownEditorOptions> = {
  secret: checkedElsewhere,
  database: checkedElsewhere,
  storage: mustHave('write', 'read', 'stat', 'copy', 'remove', 'list'),
  authenticate: mustBeFunction,
  settings: checkedElsewhere,
  basePath: checkedElsewhere,
  publicOrigin: checkedElsewhere,
  trustedProxies: checkedElsewhere,
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

/** What the options say together about records in another database. */
function checkRecords<User extends EditorUser>(options: MarkdownEditorOptions<User>): void {
  const { records, recordsDatabase, settings } = options
  if (recordsDatabase !== 'separate') return
  if (typeof records?.load !== 'function') {
    throw new ConfigurationError('records.load', "is needed with recordsDatabase: 'separate', to read one record")
  }
  if (settings?.orphanGrace === 0) {
    const problem = "cannot be 0 with recordsDatabase: 'separate': an orphan must live as long as a save may take"
    throw new ConfigurationError('settings.orphanGrace', problem, 0)
  }
}

/**
 * Checks the shape of the options; what they say is checked by those who use them.
 *
 * @throws ConfigurationError that names the option
 */
export function checkEditorOptions<User extends EditorUser>(options: MarkdownEditorOptions<User>): void {
  checkOptions<MarkdownEditorOptions<User>>(options, CHECKS, ['secret', 'database', 'storage', 'authenticate'])
  checkRecords(options)
}
