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
  /** The user or job that makes the change. Without an actor, the application makes the change. */
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

/** Methods with which an application adds, reads and deletes files. */
export interface EditorMedia<User extends EditorUser = EditorUser> {
  /**
   * Stores a file from server code, for example from a mail gateway or an import. The file is
   * handled like an upload of `owner`, with the same checks, cleaning, quota and upload handler.
   * `uploadRateLimit` does not apply. The file is temporary until
   * `editor.finalize(text, { owner })` is called with a text that contains its URL. If `add` fails,
   * no file remains.
   *
   * @throws QuillgateError with the codes of the upload endpoint; `invalid_request` (400) for a
   * wrong file, `invalid_user` (500) for a wrong owner. Errors of the stream are thrown unchanged.
   * @example
   * const { url, name } = await editor.media.add(new File([bytes], 'photo.png', { type: 'image/png' }), { owner: user })
   * const { text } = await editor.finalize(`![${name}](${url})`, { owner: user })
   */
  add(file: FileToAdd, options: For<User>): Promise<UploadResponse>
  /** Returns the data of a file in any state. If the id is unknown, returns null. */
  get(id: string): Promise<Medium | null>
  /**
   * Lists files, newest first. With `state: 'orphaned'`, lists the files in the trash.
   *
   * @throws QuillgateError `invalid_request` (400) for a wrong state, limit or cursor,
   * `invalid_user` (500) for a wrong owner
   */
  list(options?: MediaListOptions): Promise<MediaList>
  /**
   * Deletes a file that no record references. A temporary file is deleted immediately, and a
   * permanent file after `orphanGrace`. The application must check whether the actor is allowed to
   * delete the file.
   *
   * If the actor owns the file, references that other users saved do not protect the file and are
   * removed.
   *
   * @returns false if the file does not exist, or if another call is changing its state
   * @throws QuillgateError `media_in_use` (409), `deletion_suspended` (503), `invalid_user` (500)
   */
  remove(id: string, options?: By<User>): Promise<boolean>
  /**
   * Restores an orphaned file before `orphanGrace` ends. If the file is not orphaned, returns
   * false.
   */
  restore(id: string): Promise<boolean>
}

/** Methods to track which records reference which files. */
export interface MediaReferences<User extends EditorUser = EditorUser> {
  /**
   * Writes the references of a record when the record is saved. A reference is a media id anywhere
   * in the texts, even in a code sample.
   *
   * With `tx`, the references commit and roll back with the record. Pass `removed` to
   * {@link settle} after the commit. Without `tx`, `set` calls `settle`.
   *
   * @param texts one text, a list, or an object from field to text; an object replaces only the
   * given fields
   * @param options.actor the user who saves the record. Pass the user if users must not control
   * each other's files. Without an actor, the application is responsible for the text. A reference
   * to a file that the actor does not manage protects the file only while the reference exists.
   * `unsavedGrace` still applies to the file. Such a reference restores an orphaned file only if
   * the application, or a user who manages the file, last saved the file in this record.
   * `canManage` is called inside the transaction.
   * @throws QuillgateError `invalid_request` (400) for a wrong record or text, `too_many_media`
   * (413) for a text with more than 10,000 ids, `invalid_user` (500) for a wrong actor
   * @example
   * const { removed } = await editor.references.set({ type: 'post', id: 7 }, { body: text }, { tx, actor: user })
   */
  set(record: RecordKey, texts: RecordTexts, options?: Saving<User>): Promise<ReferenceChange>
  /**
   * Removes the references of a deleted record. If no record was deleted, do not call this method.
   * It would remove the references of a record that another transaction has just created.
   */
  remove(record: RecordKey, options?: Saving<User>): Promise<ReferenceChange>
  /**
   * Orphans the files that no record references any more, unless `cleanupMedia` is false. Call it
   * after the commit of a save. If `orphanGrace` is 0, deletes the files immediately. The record is
   * already saved, so failures are only logged. The next sweep then completes the work.
   *
   * @returns the storage keys whose bytes were deleted
   * @throws QuillgateError for wrong options, for example `invalid_user` (500) for a wrong actor
   */
  settle(ids: Iterable<string>, options?: By<User>): Promise<string[]>
  /**
   * Adds the references of all existing records. Removes no references, so records can be saved at
   * the same time. Afterwards, `unsavedGrace` takes effect, unless there are finalized files but no
   * records.
   */
  rebuild(records: RecordEntries): Promise<RebuildReport>
}

/**
 * The markdown editor of an application. Asynchronous methods first wait for its start. Only a save
 * in a transaction of the application does not wait. Before the start, it throws `not_ready`.
 */
export interface MarkdownEditor<User extends EditorUser = EditorUser> {
  readonly gate: Quillgate
  /** Creates a form field. @throws ConfigurationError for wrong options */
  widget(options?: Omit<MarkdownEditorWidgetOptions, 'editor'>): MarkdownEditorWidget
  /**
   * The defaults of widgets, from the settings. `new MarkdownEditorWidget({ editor })` uses them.
   */
  readonly widgetDefaults: WidgetDefaults
  /** Converts Markdown to safe HTML. */
  readonly renderer: BaseRenderer
  /**
   * Makes the temporary files in a text permanent and rewrites their URLs. Call it before you save
   * a text, if the browser has not finalized the text. Calls can be repeated and can overlap.
   *
   * @param options.owner the owner whose files become permanent; files of other owners also become
   * permanent if `canManage` allows it
   * @throws QuillgateError `invalid_request` (400), `text_too_large` (413), `invalid_user` (500)
   * @example
   * const { text } = await editor.finalize(form.body, { owner: user })
   */
  finalize(text: string, options: For<User>): Promise<Finalized>
  /**
   * Returns the owner of the files that the sender of a request uploads: the signed-in user, the
   * anonymous session if `requireAuth` is false, or null. Check the CSRF token first.
   */
  ownerOf(request: unknown): Promise<Owner<User> | null>
  /**
   * Reads a `multipart/form-data` form of widgets with `fileInput`, which work without JavaScript.
   * Checks the sender, the CSRF token and the files like the upload endpoint. Adds a link to each
   * file at the end of the text of its field. Call it instead of a body parser. `csrf_token` must
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
   * Deletes the files whose URLs are in `oldText` but not in `newText`. A file is kept if a record
   * references it. If `cleanupMedia` is false, all files are kept.
   *
   * Only `references.set` stores which records reference which files. If an application never calls
   * `references.set`, only `newText` protects files. The sweep then keeps finalized files and
   * reports them as `neverReferenced`. If several users write texts, call `references.set`, because
   * a text can contain a file of another user.
   *
   * @param options.actor the user who saves the texts. A file that the actor does not manage is
   * kept, unless `record` was the last record that contained the file. Without an actor, the
   * application is responsible for the deletion.
   * @param options.record the record of the texts. Pass it if `references.set` has not written the
   * new texts yet. The record's only reference to a file then does not protect the file, and is
   * removed. For a record with several texts, also pass `field`. Then only the reference from this
   * field is removed, and references from other fields protect the file.
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
   * the sign-in, for example after `devices.login`. Returns the number of files.
   */
  claim(request: unknown, user: EditorUser): Promise<number>
  /** Deletes expired and orphaned files. Cleans up after interrupted calls. Sweeps may overlap. */
  sweep(options?: SweepOptions): Promise<SweepReport>
  /** Compares the database with the storage. Changes nothing. */
  check(options?: CheckOptions): Promise<CheckReport>
  /** Returns the path of an endpoint, for example `editor.url('upload')`. */
  url(name: EndpointName): string
  /** Returns the value of a setting. @throws QuillgateError `unknown_setting` */
  getSetting<Key extends SettingName>(key: Key): Settings[Key]
}
