import { checkPrefix } from '@quillgate/database'
import {
  ConfigurationError,
  checkedElsewhere,
  checkOptions,
  mustBeBoolean,
  mustBeFunction,
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
  delivery: mustBeDelivery,
  canFinalize: mustBeFunction,
  canManage: mustBeFunction,
  scan: mustBeFunction,
  records: mustHave('all'),
  existingRecords: mustBeBoolean,
  migrate: mustBeBoolean,
  prefix: checkPrefix,
  logger: mustHave('warn', 'error'),
  clock: mustBeFunction,
}

function mustBeDelivery(value: unknown, name: string): void {
  if (value !== 'stream' && value !== 'redirect')
    throw new ConfigurationError(name, 'must be "stream" or "redirect"', value)
}

/**
 * Checks the shape of the options; what they say is checked by those who use them.
 *
 * @throws ConfigurationError that names the option
 */
export function checkEditorOptions<User extends EditorUser>(options: MarkdownEditorOptions<User>): void {
  checkOptions<MarkdownEditorOptions<User>>(options, CHECKS, ['secret', 'database', 'storage', 'authenticate'])
}
