import { CHOICES, DEFAULT_TOOLBAR } from '@quillgate/markdown-editor-element/contract'
import {
  boolean,
  ConfigurationError,
  field,
  type Input,
  listOf,
  oneOf,
  orNull,
  parse,
  positiveSeconds,
  seconds,
  text,
  type Values,
  whole,
} from '@quillgate/server/core'
import { rate } from '@quillgate/server/http'
import { DEFAULT_UPLOAD_TYPES } from './media/upload/media-types.ts'
import { fixedPathPrefix } from './media/upload/path-template.ts'
import {
  cssLength,
  fixedStorageFolder,
  mediaUrl,
  publicUrl,
  storageFolder,
  toolbarItem,
  uploadType,
} from './setting-checks.ts'

const MiB = 1024 * 1024
const DAY = 86_400

/** Every setting of the markdown editor. Durations are seconds, sizes are bytes. */
export const SETTINGS = {
  /**
   * Buttons of the toolbar in order; `separator` stands between groups. An empty list shows no
   * toolbar.
   */
  toolbar: field(listOf(toolbarItem), DEFAULT_TOOLBAR),
  /** Path under which media are served. */
  mediaUrl: field(mediaUrl, '/media/'),
  /**
   * Media types that may be uploaded, exactly; never HTML, SVG or other XML, style sheets or
   * scripts.
   */
  allowedUploadTypes: field(listOf(uploadType), DEFAULT_UPLOAD_TYPES),
  /** The largest file that may be uploaded, in bytes. */
  maxUploadSize: field(whole(1, undefined, 'bytes'), 50 * MiB),
  /**
   * Folder of permanent files in the storage. `%Y`, `%m`, `%d` and `%H` stand for the date of
   * finalizing, in UTC. The first segment is fixed.
   */
  uploadPath: field(storageFolder, 'md-editor/uploads/%Y/%m/'),
  /** Folder of temporary files in the storage, apart from `uploadPath`. */
  tempUploadPath: field(fixedStorageFolder, 'md-editor/tmp/'),
  /** Seconds after which the sweep deletes a temporary file. */
  tempMaxAge: field(seconds(), DAY),
  /**
   * Seconds after which the sweep deletes a finalized file that no record has ever referenced.
   * Null: never. Set it [only when every text is
   * tracked](media.md#files-that-no-record-has-ever-referenced): files in other texts are deleted.
   */
  unsavedGrace: field(orNull(seconds()), null),
  /**
   * Seconds for which the bytes of an orphan are kept; its URL answers 404 at once. 0: deleted when
   * the record is saved.
   */
  orphanGrace: field(seconds(), DAY),
  /**
   * Seconds between two sweeps of this process. It also sweeps a little after uploads, at most once
   * a minute. Null: it never sweeps, and `markdown-editor sweep` must be run.
   */
  sweepInterval: field(orNull(positiveSeconds()), 3600),
  /**
   * Uploads of one user, or of one address for anonymous uploads. Finalizing is counted apart, ten
   * times as many. Null: no limit.
   */
  uploadRateLimit: field(orNull(rate), '60/minute'),
  /**
   * Bytes that the files of one owner may take together. Null: no limit. An anonymous session is an
   * owner of its own, so that only `uploadRateLimit` limits anonymous visitors.
   */
  ownerQuota: field(orNull(whole(1, undefined, 'bytes')), 1024 * MiB),
  /** Height of the editor, a CSS length. */
  defaultHeight: field(cssLength, '300px'),
  /** Text in an empty editor. */
  placeholder: field(text, 'Add your comment here...'),
  /** Colours: `auto` follows the system. */
  theme: field(oneOf(CHOICES.theme), 'auto'),
  /**
   * True: uploads and finalizing need a signed-in user. False: anonymous sessions own what they
   * upload.
   */
  requireAuth: field(boolean, true),
  /** True: saving a record deletes the media that nothing references any more. */
  cleanupMedia: field(boolean, true),
  /**
   * Other absolute URLs of `mediaUrl` that texts may contain, for example that of a CDN in front.
   */
  publicUrls: field(listOf(publicUrl), []),
}

/** The values of all settings. */
export type Settings = Values<typeof SETTINGS>

/** Settings as an application gives them: what is left out has its default. */
export type SettingsInput = Input<typeof SETTINGS>

/** The name of a setting. */
export type SettingName = keyof Settings

/**
 * Checks an application's settings and adds the defaults. The result is frozen, lists included.
 *
 * @param basePath the path under which the endpoints are
 * @throws ConfigurationError that names the setting and the value
 * @example
 * const settings = resolveSettings({ maxUploadSize: 10 * 1024 * 1024 })
 */
export function resolveSettings(input: SettingsInput = {}, basePath = '/md-editor'): Settings {
  const settings = parse(SETTINGS, input, 'settings')
  const permanent = fixedPathPrefix(settings.uploadPath)
  const temporary = settings.tempUploadPath
  if (permanent.startsWith(temporary) || temporary.startsWith(permanent)) {
    const problem = `must be apart from uploadPath (${JSON.stringify(permanent)})`
    throw new ConfigurationError('settings.tempUploadPath', problem, temporary)
  }
  const endpoints = ['upload', 'finalize', 'assets/'].map((name) => `${basePath}/${name}`)
  const media = settings.mediaUrl
  if (endpoints.some((path) => path.startsWith(media) || media.startsWith(path))) {
    const problem = `must be apart from the endpoints under ${basePath}`
    throw new ConfigurationError('settings.mediaUrl', problem, media)
  }
  return settings
}
