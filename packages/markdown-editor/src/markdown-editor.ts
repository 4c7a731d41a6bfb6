import type { BaseRenderer } from '@quillgate/markdown'
import type { UploadResponse } from '@quillgate/markdown-editor-element/contract'
import type { Quillgate } from '@quillgate/server'
import type { Storage } from '@quillgate/storage'
import type { CheckOptions, CheckReport } from './media/check.ts'
import type { Cleanup } from './media/cleanup.ts'
import type { CopyOptions, CopyReport } from './media/copy/copy-media.ts'
import type { Finalized } from './media/finalize.ts'
import type { MediaList, MediaListOptions } from './media/ledger/media-list.ts'
import type { Medium } from './media/ledger/medium.ts'
import type { EditorUser, Owner } from './media/ledger/principal.ts'
import type { Quarantine } from './media/quarantine.ts'
import type { MediaReferences } from './media/references/media-references.ts'
import type { SweepOptions } from './media/sweep/sweep.ts'
import type { SweepReport } from './media/sweep/sweep-report.ts'
import type { FileToAdd } from './media/upload/add-media.ts'
import type { RecordSource } from './options.ts'
import type { SettingName, Settings } from './settings.ts'
import type {
  MarkdownEditorWidget,
  MarkdownEditorWidgetOptions,
  WidgetDefaults,
} from './widget/markdown-editor-widget.ts'

/** Endpoints by name, with or without their namespace. */
export type EndpointName =
  | 'upload'
  | 'finalize'
  | 'web_markdown_widget:upload'
  | 'web_markdown_widget:finalize'

/** The files of the editor, for the application's own pages and jobs. */
export interface EditorMedia<User extends EditorUser = EditorUser>
  extends Pick<Cleanup, 'remove' | 'restore'>,
    Quarantine {
  /**
   * Stores a file of server code, such as a mail gateway or an import, exactly as an upload of this
   * owner: the same checks, cleaning, quota and upload handler; only `uploadRateLimit` does not
   * count. The file is temporary until `editor.finalize(text, { owner })` finalizes a text that
   * references its URL. What fails leaves nothing behind.
   *
   * @throws QuillgateError as an upload does: `unsupported_media_type` (415), `file_too_large` and
   * `quota_exceeded` (413), `empty_file` (400), `validation_error` (422), `storage_failed` (503);
   * `invalid_request` (400) for a file and `invalid_user` (500) for an owner that cannot be; what
   * reading the stream throws
   * @example
   * const { url, name } = await editor.media.add(new File([bytes], 'photo.png', { type: 'image/png' }), { owner: user })
   * const { text } = await editor.finalize(`![${name}](${url})`, { owner: user })
   */
  add(file: FileToAdd, options: FinalizeFor<User>): Promise<UploadResponse>
  /**
   * Lists files, the newest first: with `state: 'orphaned'` the trash.
   *
   * @throws QuillgateError `invalid_request` (400) for a limit or cursor that cannot be
   */
  list(options?: MediaListOptions): Promise<MediaList>
  /** All that is known of a file, in any state; null when there never was one. */
  get(id: string): Promise<Medium | null>
}

/** For whom a text is finalized, or a file stored. */
export interface FinalizeFor<User extends EditorUser = EditorUser> {
  readonly owner: Owner<User>
}

/**
 * The markdown editor of an application. All calls wait for `gate.ready()` by themselves, except
 * for saves in a transaction of the application.
 */
export interface MarkdownEditor<User extends EditorUser = EditorUser> {
  /** The application object that it belongs to. */
  readonly gate: Quillgate
  /** A form field. @throws ConfigurationError for options that cannot be */
  widget(options?: Omit<MarkdownEditorWidgetOptions, 'editor'>): MarkdownEditorWidget
  /** The defaults of widgets, from the settings; read by `new MarkdownEditorWidget({ editor })`. */
  readonly widgetDefaults: WidgetDefaults
  /** Turns markdown into safe HTML. */
  readonly renderer: BaseRenderer
  /**
   * Promotes the temporary files that a text references and rewrites their URLs: for servers that
   * finalize on save themselves. Sent again, or twice at once, it gives the same.
   *
   * @param options.owner the signed-in user, or `{ session }` of an anonymous one: only files of
   * this owner are promoted, and those that `canManage` gives the user
   * @throws QuillgateError `invalid_request` (400), `text_too_large` (413), `invalid_user` (500)
   * for anything else as an owner; nothing in a text ever throws
   * @example
   * const { text } = await editor.finalize(form.body, { owner: user })
   */
  finalize(text: string, options: FinalizeFor<User>): Promise<Finalized>
  /** See {@link Cleanup.deleteOrphanedMedia}. */
  readonly deleteOrphanedMedia: Cleanup<User>['deleteOrphanedMedia']
  readonly references: MediaReferences<User>
  readonly media: EditorMedia<User>
  /**
   * Gives a user what the browser uploaded before the sign-in. Call it after the sign-in, also
   * after `devices.login`.
   *
   * @param request of the framework, such as the `req` of Express, or a web `Request`
   * @returns the number of files
   */
  claim(request: unknown, user: EditorUser): Promise<number>
  /**
   * Deletes files whose time is over, and completes interrupted steps. Safe to run twice at once.
   */
  sweep(options?: SweepOptions): Promise<SweepReport>
  /** Compares ledger and storage; changes nothing but strays, where `deleteStrays` asks for it. */
  check(options?: CheckOptions): Promise<CheckReport>
  /**
   * Copies all media to another storage, checked against the ledger; no URL changes. It can be
   * ended and run again, also while this editor is used: what is there already is left. When it is
   * complete, give the editor the other storage.
   *
   * @throws ConfigurationError for options that cannot be; QuillgateError `same_storage` when it is
   * the present storage by another name, `storage_failed` when nothing works
   * @example
   * const { complete } = await editor.copyTo(localFiles('/mnt/media'))
   */
  copyTo(target: Storage, options?: CopyOptions): Promise<CopyReport>
  /** The path of an endpoint, for example `editor.url('upload')`. */
  url(name: EndpointName): string
  /** The value of a setting. @throws UnknownSettingError */
  getSetting<Key extends SettingName>(key: Key): Settings[Key]
  /** The option `records`, for the command line. */
  readonly records: RecordSource | null
}
