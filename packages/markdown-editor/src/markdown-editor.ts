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

/** The name of an endpoint, with or without the namespace. */
export type EndpointName =
  | 'upload'
  | 'finalize'
  | 'web_markdown_widget:upload'
  | 'web_markdown_widget:finalize'

interface By<User extends EditorUser> {
  /**
   * The actor of the change, which the ledger records. Without it, the application itself is the
   * actor.
   */
  readonly actor?: Actor<User> | undefined
}

interface For<User extends EditorUser> {
  /** The signed-in user, or `{ session }` for an anonymous session. */
  readonly owner: Owner<User>
}

/** The files of the editor, for the application's own pages and jobs. */
export interface EditorMedia<User extends EditorUser = EditorUser> {
  /**
   * Stores a file from server code, for example from a mail gateway or an import. The file is
   * handled like an upload of this owner, with the same checks, cleaning, quota and upload handler.
   * Only `uploadRateLimit` is ignored. The file is temporary until `editor.finalize(text, { owner
   * })` finalizes a text that references its URL. If `add` fails, the file is removed.
   *
   * @throws QuillgateError as an upload does: `unsupported_media_type` (415), `file_too_large` and
   * `quota_exceeded` (413), `empty_file` (400), `validation_error` (422), `storage_failed` (503);
   * `invalid_request` (400) for an invalid file object, `invalid_user` (500) for an invalid owner
   * @throws errors of the stream
   * @example
   * const { url, name } = await editor.media.add(new File([bytes], 'photo.png', { type: 'image/png' }), { owner: user })
   * const { text } = await editor.finalize(`![${name}](${url})`, { owner: user })
   */
  add(file: FileToAdd, options: For<User>): Promise<UploadResponse>
  /** Returns the ledger row of a file in any state; null if the file never existed. */
  get(id: string): Promise<Medium | null>
  /**
   * Lists files, newest first. `state: 'orphaned'` lists the trash.
   *
   * @throws QuillgateError `invalid_request` (400) for an invalid state, limit or cursor
   */
  list(options?: MediaListOptions): Promise<MediaList>
  /**
   * Deletes a file that no record references. A temporary file is deleted immediately, a permanent
   * file after `orphanGrace`. The application must check whether the actor may delete it.
   *
   * If the actor owns the file, only references that the owner or the application saved protect it.
   * References that other users saved do not protect it, and are removed with it.
   *
   * @returns false if the file no longer exists
   * @throws QuillgateError `media_in_use` (409), `deletion_suspended` (503)
   */
  remove(id: string, options?: By<User>): Promise<boolean>
  /**
   * Restores an orphan before `orphanGrace` ends. Returns false if there is nothing to restore.
   */
  restore(id: string): Promise<boolean>
}

/** Manages which records reference which files. */
export interface MediaReferences<User extends EditorUser = EditorUser> {
  /**
   * Writes the references of a record when it is saved: every media id that its texts mention, also
   * in code samples.
   *
   * With `tx`, the references commit and roll back with the record. Pass `removed` to {@link
   * settle} after the commit. Without `tx`, the files are settled before this resolves.
   *
   * @param texts one text, a list of texts, or an object from field to text; with an object, only
   * the given fields are replaced
   * @param options.tx the transaction of the record, as an executor: `database.executor(trx)`, or
   * the executor for your ORM
   * @param options.actor the user who saves the record. Pass it if users must not decide about
   * files of other users. If the actor does not manage a file, the reference protects the file only
   * while the reference exists: it does not end `unsavedGrace`, and restores an orphan only if this
   * record was the last one that contained it. `canManage` is called inside the transaction.
   * Without an actor, the application is responsible for the text
   * @throws QuillgateError `invalid_request` (400) for an invalid record or text, `too_many_media`
   * (413) for a text with more than 10,000 ids, `invalid_user` (500) for an invalid actor
   * @example
   * const { removed } = await editor.references.set({ type: 'post', id: 7 }, { body: text }, { tx, actor: user })
   */
  set(
    record: RecordKey,
    texts: RecordTexts,
    options?: By<User> & { readonly tx?: SqlExecutor | undefined },
  ): Promise<ReferenceChange>
  /**
   * Removes the references of a deleted record. Call it only if the deletion matched a record.
   * Otherwise another transaction may have created a record with the same key at the same time, and
   * would lose its references.
   */
  remove(
    record: RecordKey,
    options?: By<User> & { readonly tx?: SqlExecutor | undefined },
  ): Promise<ReferenceChange>
  /**
   * Marks the given files as orphans if no record references them any more. Call it after the
   * commit of a save. If `orphanGrace` is 0, their bytes are deleted before this resolves. It never
   * rejects, because the record is already saved: errors are logged, and the next sweep completes
   * the work.
   *
   * @returns the storage keys whose bytes were deleted
   */
  settle(ids: Iterable<string>, options?: By<User>): Promise<string[]>
  /**
   * Reads all existing records and adds their references. It never removes references, so it can
   * run while records are saved.
   */
  rebuild(records: RecordEntries): Promise<RebuildReport>
}

/**
 * The markdown editor of an application. All calls wait for the start-up (`gate.ready()`), except
 * for saves in a transaction of the application.
 */
export interface MarkdownEditor<User extends EditorUser = EditorUser> {
  /** The application object that it belongs to. */
  readonly gate: Quillgate
  /**
   * Creates a form field.
   *
   * @throws ConfigurationError for invalid options
   */
  widget(options?: Omit<MarkdownEditorWidgetOptions, 'editor'>): MarkdownEditorWidget
  /**
   * The defaults of widgets, from the settings. `new MarkdownEditorWidget({ editor })` reads them.
   */
  readonly widgetDefaults: WidgetDefaults
  /** Turns markdown into safe HTML. */
  readonly renderer: BaseRenderer
  /**
   * Promotes the temporary files that a text references, and rewrites their URLs. Use it in servers
   * that finalize texts when they save them. It can be repeated, also by two callers at once.
   *
   * @param options.owner the owner of the files. Files of other owners are promoted only if
   * `canManage` allows it
   * @throws QuillgateError `invalid_request` (400) if the text is not a string, `text_too_large`
   * (413), `invalid_user` (500) for an invalid owner. The content of a text never causes an error
   * @example
   * const { text } = await editor.finalize(form.body, { owner: user })
   */
  finalize(text: string, options: For<User>): Promise<Finalized>
  /**
   * Reads a `multipart/form-data` form with widgets that have a `fileInput`, for browsers without
   * JavaScript. It checks the sender, the CSRF token and the files as the upload endpoint does, and
   * adds each file to the end of its text. Call it instead of a body parser. `csrf_token` must be
   * the first field.
   *
   * @param request the request of the framework, such as `req` of Express, or a web `Request`
   * @returns the fields; the texts in them must still be finalized
   * @throws FormError with the fields, if the request or a file is rejected
   * @example
   * const fields = await editor.readForm(req)
   * const { text } = await editor.finalize(fields.get('body') ?? '', { owner: user })
   */
  readForm(request: unknown): Promise<URLSearchParams>
  /**
   * Deletes the files that `oldText` references and `newText` does not mention, unless a record
   * references them.
   *
   * Only `references.set` records which records reference which files. If an application never
   * calls it, only the texts passed here protect files; the sweep then keeps finalized files and
   * reports them as `neverReferenced`. If several users write texts, only `references.set` makes
   * this safe, because a text may mention a file of another user.
   *
   * @param options.actor the user who saves the text. Files that the actor does not manage are
   * kept, unless `record` was the last record that contained them. Without an actor, the
   * application is responsible for the deletion
   * @param options.record the record that the texts belong to. Pass it if this is called before
   * `references.set` writes the new texts: then the reference of this record does not protect a
   * file, and is removed. References from other fields of the record protect it; for a record with
   * several texts, pass the `field`
   * @returns the storage keys whose bytes were deleted
   * @throws QuillgateError `invalid_request` (400) if a text is neither a string nor null. An
   * invalid URL in a text never causes an error
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
   * Transfers the files that the browser uploaded before the sign-in to the user. Call it after the
   * sign-in, also after `devices.login`.
   *
   * @param request the request of the framework, such as `req` of Express, or a web `Request`
   * @returns the number of transferred files
   */
  claim(request: unknown, user: EditorUser): Promise<number>
  /**
   * Deletes expired and orphaned files, and completes interrupted steps. Several sweeps may run at
   * once.
   */
  sweep(options?: SweepOptions): Promise<SweepReport>
  /** Compares the ledger with the storage, without changing anything. */
  check(options?: CheckOptions): Promise<CheckReport>
  /** Returns the path of an endpoint, for example `editor.url('upload')`. */
  url(name: EndpointName): string
  /**
   * Returns the value of a setting.
   *
   * @throws QuillgateError `unknown_setting`
   */
  getSetting<Key extends SettingName>(key: Key): Settings[Key]
}
