import type { BaseRenderer } from '@quillgate/markdown'
import type { UploadResponse } from '@quillgate/markdown-editor-element/contract'
import type { Quillgate } from '@quillgate/server'
import type { SqlExecutor } from '@quillgate/server/database'
import type { CheckOptions, CheckReport } from './media/check.ts'
import type { Finalized } from './media/finalize.ts'
import type { MediaList, MediaListOptions } from './media/ledger/media-list.ts'
import type { Medium } from './media/ledger/medium.ts'
import type { Actor, EditorUser, Owner } from './media/ledger/principal.ts'
import type { RecordKey, RecordTexts } from './media/ledger/record-texts.ts'
import type { RebuildReport, RecordEntries, ReferenceChange } from './media/references.ts'
import type { SweepOptions } from './media/sweep/sweep.ts'
import type { SweepReport } from './media/sweep/sweep-report.ts'
import type { FileToAdd } from './media/upload/add-media.ts'
import type { SettingName, Settings } from './settings.ts'
import type {
  MarkdownEditorWidget,
  MarkdownEditorWidgetOptions,
} from './widget/markdown-editor-widget.ts'
import type { WidgetDefaults } from './widget/widget-defaults.ts'

/** The names of the endpoints, with or without their namespace. */
export type EndpointName =
  | 'upload'
  | 'finalize'
  | 'web_markdown_widget:upload'
  | 'web_markdown_widget:finalize'

interface By<User extends EditorUser> {
  /** The actor that the ledger records for the change. By default, it is the application itself. */
  readonly actor?: Actor<User> | undefined
}

interface Saving<User extends EditorUser> extends By<User> {
  /** The record's own transaction: `database.executor(trx)`, or the executor of your ORM. */
  readonly tx?: SqlExecutor | undefined
}

interface For<User extends EditorUser> {
  /** The signed-in user, or `{ session }` for an anonymous session. */
  readonly owner: Owner<User>
}

/** The files of the editor, for the application's own pages and jobs. */
export interface EditorMedia<User extends EditorUser = EditorUser> {
  /**
   * Stores a file from server code, for example of a mail gateway or an import. It is handled like
   * an upload of `owner`, with the same checks, cleaning, quota and upload handler, but without
   * `uploadRateLimit`. The file is temporary until `editor.finalize(text, { owner })` finalizes a
   * text that contains its URL. If `add` fails, no file remains.
   *
   * @throws QuillgateError as an upload does; `invalid_request` (400) for a wrong file,
   * `invalid_user` (500) for a wrong owner. Errors of the stream are thrown unchanged
   * @example
   * const { url, name } = await editor.media.add(new File([bytes], 'photo.png', { type: 'image/png' }), { owner: user })
   * const { text } = await editor.finalize(`![${name}](${url})`, { owner: user })
   */
  add(file: FileToAdd, options: For<User>): Promise<UploadResponse>
  /** Returns the ledger row of a file in any state; null if there was never a file with this id. */
  get(id: string): Promise<Medium | null>
  /**
   * Lists files, newest first. With `state: 'orphaned'`, lists the trash.
   *
   * @throws QuillgateError `invalid_request` (400) for a wrong state, limit or cursor
   */
  list(options?: MediaListOptions): Promise<MediaList>
  /**
   * Deletes a file that no record references: a temporary file immediately, a permanent file after
   * `orphanGrace`. The application must check whether the actor is allowed to delete the file.
   *
   * If the actor owns the file, only references that the owner or the application saved protect it.
   * References that other users saved are removed with the file.
   *
   * @returns false if the file does not exist, or no longer exists
   * @throws QuillgateError `media_in_use` (409), `deletion_suspended` (503)
   */
  remove(id: string, options?: By<User>): Promise<boolean>
  /** Restores an orphan before `orphanGrace` ends. Returns false if there is nothing to restore. */
  restore(id: string): Promise<boolean>
}

/** Which records reference which files. */
export interface MediaReferences<User extends EditorUser = EditorUser> {
  /**
   * Writes the references of a record when it is saved: every mention of a media id in its texts,
   * code samples included.
   *
   * With `tx`, the references commit and roll back with the record. Pass `removed` to
   * {@link settle} after the commit. Without `tx`, the files are settled before this resolves.
   *
   * @param texts one text, a list, or an object from field to text; an object replaces only the
   * given fields
   * @param options.actor the user who saves the record. Pass it if users must not control each
   * other's files. If the actor does not manage a file, a mention protects the file only as long as
   * the mention exists. `unsavedGrace` still applies to such a file. If the file is an orphan, only
   * a mention in one record restores it: the record in which the application, or a user who manages
   * the file, last saved it. `canManage` is called inside the transaction. Without an actor, the
   * application is responsible for the text
   * @throws QuillgateError `invalid_request` (400) for a wrong record or text, `too_many_media`
   * (413) for a text with more than 10,000 ids, `invalid_user` (500) for a wrong actor
   * @example
   * const { removed } = await editor.references.set({ type: 'post', id: 7 }, { body: text }, { tx, actor: user })
   */
  set(record: RecordKey, texts: RecordTexts, options?: Saving<User>): Promise<ReferenceChange>
  /**
   * Removes the references of a deleted record. Do not call it if nothing was deleted, because
   * another transaction may just have created a record with this key.
   */
  remove(record: RecordKey, options?: Saving<User>): Promise<ReferenceChange>
  /**
   * Orphans the files that no record references any more. Call it after the commit of a save. If
   * `orphanGrace` is 0, their bytes are deleted before this resolves. The record is already saved,
   * so failures are logged, and the next sweep completes the work.
   *
   * @returns the storage keys whose bytes were deleted
   * @throws only for wrong options, for example QuillgateError `invalid_user` (500) for a wrong
   * actor
   */
  settle(ids: Iterable<string>, options?: By<User>): Promise<string[]>
  /**
   * Reads all existing records and adds their references. It removes no references, so that it can
   * run during saves. Afterwards `unsavedGrace` takes effect, unless there are finalized files but
   * no records.
   */
  rebuild(records: RecordEntries): Promise<RebuildReport>
}

/**
 * The markdown editor of an application. All calls wait for `gate.ready()` by themselves, except
 * for saves in a transaction of the application.
 */
export interface MarkdownEditor<User extends EditorUser = EditorUser> {
  readonly gate: Quillgate
  /** Creates a form field. @throws ConfigurationError for wrong options */
  widget(options?: Omit<MarkdownEditorWidgetOptions, 'editor'>): MarkdownEditorWidget
  /** The defaults of widgets, from the settings; read by `new MarkdownEditorWidget({ editor })`. */
  readonly widgetDefaults: WidgetDefaults
  /** Turns markdown into safe HTML. */
  readonly renderer: BaseRenderer
  /**
   * Makes the temporary files in a text permanent and rewrites their URLs. Call it if your server
   * finalizes texts itself when it saves them. It can be repeated, also by two callers at once.
   *
   * @param options.owner only files of this owner, or that `canManage` allows, become permanent
   * @throws QuillgateError `invalid_request` (400), `text_too_large` (413), `invalid_user` (500)
   * @example
   * const { text } = await editor.finalize(form.body, { owner: user })
   */
  finalize(text: string, options: For<User>): Promise<Finalized>
  /**
   * Reads a `multipart/form-data` form from a browser without JavaScript, whose widgets have a
   * `fileInput`. It checks sender, CSRF token and files as the upload endpoint does. It adds a link
   * to each file at the end of the file's text. Call it instead of a body parser. `csrf_token` must
   * be the first field.
   *
   * @returns the fields; finalize their texts before you save them
   * @throws FormError with the fields, if the request or a file is rejected
   * @throws QuillgateError with status 500, for example `body_already_read`; do not show its detail
   * to visitors
   * @example
   * const fields = await editor.readForm(req)
   * const { text } = await editor.finalize(fields.get('body') ?? '', { owner: user })
   */
  readForm(request: unknown): Promise<URLSearchParams>
  /**
   * Deletes the files that `oldText` references and `newText` does not mention, unless a record
   * references them.
   *
   * Only `references.set` stores which records reference which files. If an application never
   * calls it, only `newText` protects files, and the sweep keeps finalized files and reports them
   * as `neverReferenced`. If several users write texts, this is only safe with `references.set`,
   * because a text may mention a file of another user.
   *
   * @param options.actor the user who saves the texts. Files that the actor does not manage are
   * kept, unless `record` was the last record that contained them. Without an actor, the
   * application is responsible for the deletion
   * @param options.record the record of the texts, if `references.set` has not written its new
   * texts yet. Then its own reference does not protect a file, and is removed. For a record with
   * several texts, pass the `field`: references from other fields protect the file
   * @returns the storage keys whose bytes were deleted
   * @throws QuillgateError `invalid_request` (400) if a text is neither a string nor null
   */
  deleteOrphanedMedia(
    oldText: string | null,
    newText: string | null,
    options?: By<User> & {
      readonly record?: (RecordKey & { readonly field?: string }) | undefined
    },
  ): Promise<string[]>
  readonly references: MediaReferences<User>
  readonly media: EditorMedia<User>
  /**
   * Makes a user the owner of the files that the browser uploaded before the sign-in. Call it after
   * the sign-in, also after `devices.login`. Returns the number of files.
   */
  claim(request: unknown, user: EditorUser): Promise<number>
  /** Deletes files whose grace period ended, and completes interrupted steps. Sweeps may overlap. */
  sweep(options?: SweepOptions): Promise<SweepReport>
  /** Compares ledger and storage, and changes nothing. */
  check(options?: CheckOptions): Promise<CheckReport>
  /** Returns the path of an endpoint, for example `editor.url('upload')`. */
  url(name: EndpointName): string
  /** Returns the value of a setting. @throws QuillgateError `unknown_setting` */
  getSetting<Key extends SettingName>(key: Key): Settings[Key]
}
