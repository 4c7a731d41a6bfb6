import type { BaseRenderer } from '@quillgate/markdown'
import {
  type Check,
  ConfigurationError,
  checks,
  field,
  type Input,
  optional,
  Problem,
  parse,
  required,
} from '@quillgate/server/core'
import type { RequestContext } from '@quillgate/server/http'
import type { Storage } from '@quillgate/storage'
import type { Medium } from './media/ledger/medium.ts'
import type { EditorUser } from './media/ledger/principal.ts'
import type { UploadHandler } from './media/upload/upload-handler.ts'
import { resolveSettings, type SettingsInput } from './settings.ts'

// Other libraries accept a path or URL. So the error for a string shows the correct call.
const storage: Check<Storage> = (value) => {
  if (typeof value !== 'string')
    return checks.has<Storage>(['write', 'read', 'stat', 'copy', 'remove', 'list'])(value)
  const call = /^s3:/i.test(value) ? 's3FromUrl(…)' : `localFiles(${JSON.stringify(value)})`
  return new Problem(`must be a storage object, not a string: write ${call}`)
}

/** Every option of the markdown editor, for an application whose users have the type `User`. */
export const optionsFor = <User extends EditorUser>() => ({
  /** [Settings](#settings) that differ from the defaults. */
  settings: optional(checks.anything<SettingsInput>()),
  /** Storage for the bytes of media, for example `localFiles('./data/media')`. */
  storage: required(storage),
  /**
   * Returns the signed-in user of a request, or null. By default, trusted devices authenticate the
   * user.
   */
  authenticate: optional(
    checks.functionOf<(context: RequestContext) => User | null | Promise<User | null>>(),
  ),
  /** Path of the endpoints. */
  basePath: field(checks.basePath, '/md-editor'),
  /** Converts Markdown to HTML. The default is a `DefaultRenderer`. */
  renderer: optional(checks.has<BaseRenderer>(['render'])),
  /**
   * [Checks uploads](#uploads), and can replace them or store them elsewhere. The default is a
   * `DefaultUploadHandler`.
   */
  uploadHandler: optional(checks.has<UploadHandler>(['validate', 'save'])),
  /**
   * Returns true if [a user may see a file](storage.md#restrict-who-sees-a-file). By default,
   * everybody who knows the URL of a file may see the file.
   */
  authorize: optional(
    checks.functionOf<(user: User | null, medium: Medium) => boolean | Promise<boolean>>(),
  ),
  /**
   * The source from which browsers load permanent files. `'stream'`: the application. `'redirect'`:
   * [a signed URL](storage.md#redirect-to-the-storage) of the storage.
   */
  delivery: field(checks.oneOf(['stream', 'redirect']), 'stream'),
  /**
   * Returns true if a user may manage another owner's file: finalize, restore and delete it. After
   * such a user saves a record with the file, `unsavedGrace` does not apply to the file. The
   * function is also called inside the transaction that saves a record, so its queries must not wait
   * for this transaction.
   */
  canManage: optional(
    checks.functionOf<(user: User, medium: Medium) => boolean | Promise<boolean>>(),
  ),
  /**
   * Called with the row of a file (including reason and actor) after its bytes are deleted. After a
   * crash, the next sweep may call the function again.
   */
  onDeleted: optional(checks.functionOf<(medium: Medium) => void | Promise<void>>()),
})

/** Options of `createMarkdownEditor`. */
export type MarkdownEditorOptions<User extends EditorUser = EditorUser> = Input<
  ReturnType<typeof optionsFor<User>>
>

/** Checked options with their defaults. */
export type EditorConfiguration = ReturnType<typeof resolveOptions>

/** Checks the options and settings, and their combination. Adds the defaults. */
export function resolveOptions<User extends EditorUser>(input: MarkdownEditorOptions<User>) {
  // The cast is safe, because the functions only get users that come from the application.
  const options = parse(optionsFor<EditorUser>(), input as MarkdownEditorOptions)
  const settings = resolveSettings(options.settings, options.basePath)
  if (options.delivery === 'redirect' && typeof options.storage.signedUrl !== 'function') {
    const problem =
      'must be able to sign URLs if delivery is "redirect". For example, use s3({ … })'
    throw new ConfigurationError('storage', problem)
  }
  return { ...options, settings }
}
