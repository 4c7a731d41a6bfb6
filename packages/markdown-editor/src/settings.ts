import {
  CHOICES,
  DEFAULT_TOOLBAR,
  mediaTypes,
  TOOLBAR_ITEMS,
  type ToolbarItem,
  toCssLength,
} from '@quillgate/markdown-editor-element/contract'
import {
  type Check,
  ConfigurationError,
  checks,
  field,
  type Input,
  Problem,
  parse,
  type Values,
} from '@quillgate/server/core'
import { rate } from '@quillgate/server/http'
import {
  DEFAULT_UPLOAD_TYPES,
  isActiveType,
  isCheckableType,
  isCleanableImage,
} from './types/media-types.ts'
import { fixedPathPrefix, pathTemplateProblem } from './types/path-template.ts'

const MiB = 1024 * 1024
const DAY = 86_400
/** Maximum length of a folder, in characters. A storage key also contains an id and a file name. */
const MAX_PATH_LENGTH = 300

/** Accepts the name of a toolbar button, or `separator`. */
export const toolbarItem: Check<ToolbarItem> = (value) =>
  TOOLBAR_ITEMS.find((item) => item === value) ??
  new Problem(`must be one of ${TOOLBAR_ITEMS.slice(0, -1).join(', ')} and separator`, value)

/** Accepts a BCP 47 tag, and returns its canonical form. */
export const locale: Check<string> = (value) => {
  try {
    const [tag] = typeof value === 'string' ? Intl.getCanonicalLocales(value) : []
    if (tag !== undefined) return tag
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return new Problem('must be a language tag such as "en" or "de-CH"', value)
}

const uploadType: Check<string> = (value) => {
  const type = typeof value === 'string' ? mediaTypes.toMediaType(value) : ''
  if (!/^[a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*$/.test(type))
    return new Problem('must be a media type such as "image/png", without wildcards', value)
  if (isActiveType(type))
    return new Problem('must not be a type that can run scripts in a page', value)
  if (type.startsWith('image/') && !isCleanableImage(type)) {
    const problem = 'must not be an image type whose metadata cannot be removed, such as'
    return new Problem(`${problem} AVIF, HEIC or TIFF`, value)
  }
  return isCheckableType(type)
    ? type
    : new Problem('must be a type that can be detected from the content of a file', value)
}

const mediaUrl: Check<string> = (value) =>
  typeof value === 'string' && /^(?:\/[\w.~-]*[\w~-])+\/?$/.test(value)
    ? withFinalSlash(value)
    : new Problem('must be a path such as "/media/"', value)

const publicUrl: Check<string> = (value) => {
  const url = typeof value === 'string' ? URL.parse(value) : null
  const isPlain =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username + url.password + url.search + url.hash === ''
  return isPlain
    ? withFinalSlash(String(value))
    : new Problem('must be an absolute URL such as "https://cdn.example.com/media/"', value)
}

const storageFolder: Check<string> = (value) => {
  if (typeof value !== 'string') return checks.text(value)
  const folder = withFinalSlash(value)
  if (folder.length > MAX_PATH_LENGTH)
    return new Problem(`must have at most ${MAX_PATH_LENGTH} characters`, value)
  const problem = pathTemplateProblem(folder)
  return problem === null ? folder : new Problem(problem, value)
}

const fixedStorageFolder: Check<string> = (value) => {
  const folder = storageFolder(value)
  return typeof folder === 'string' && folder.includes('%')
    ? new Problem('must not contain date codes', value)
    : folder
}

const cssLength: Check<string> = (value) =>
  (typeof value === 'string' ? toCssLength(value) : null) ??
  new Problem('must be a CSS length such as "300px" or "50vh"', value)

function withFinalSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}

/** Every setting of the markdown editor. Durations are seconds, sizes are bytes. */
export const SETTINGS = {
  /**
   * Buttons of the toolbar in order, with `separator` between groups. Empty: no toolbar.
   */
  toolbar: field(checks.listOf(toolbarItem), DEFAULT_TOOLBAR),
  /** Path under which media are served. */
  mediaUrl: field(mediaUrl, '/media/'),
  /** [Media types](#types) that may be uploaded. */
  allowedUploadTypes: field(checks.listOf(uploadType), DEFAULT_UPLOAD_TYPES),
  /** Maximum size of an uploaded file, in bytes. */
  maxUploadSize: field(checks.whole(1, undefined, 'bytes'), 50 * MiB),
  /**
   * Folder of permanent files in the storage. `%Y`, `%m`, `%d` and `%H` become the year, month, day
   * and hour of finalizing, in UTC. The first segment must not contain such codes.
   */
  uploadPath: field(storageFolder, 'md-editor/uploads/%Y/%m/'),
  /** Folder of temporary files in the storage. It must not overlap `uploadPath`. */
  tempUploadPath: field(fixedStorageFolder, 'md-editor/tmp/'),
  /** Seconds after which the sweep deletes a temporary file that no record references. */
  tempMaxAge: field(checks.seconds(), DAY),
  /**
   * Seconds after which the sweep deletes a finalized file that no record has ever referenced.
   * Null: never. The setting takes effect after `markdown-editor reindex` has run. Set it [only if
   * every text is tracked](media.md#files-that-no-record-has-ever-referenced).
   */
  unsavedGrace: field(checks.orNull(checks.seconds()), null),
  /**
   * Seconds for which a file is kept after its last reference was removed. 0: the file is deleted
   * when the record is saved.
   */
  orphanGrace: field(checks.seconds(), DAY),
  /**
   * Seconds between two sweeps of this process. Null: the process does not sweep. Then run
   * `markdown-editor sweep` yourself.
   */
  sweepInterval: field(checks.orNull(checks.positiveSeconds()), 3600),
  /**
   * Maximum rate of uploads of one user, or of one network address for anonymous uploads.
   * Finalizing has a separate limit, ten times as high. Null: no limit.
   */
  uploadRateLimit: field(checks.orNull(rate), '60/minute'),
  /**
   * Maximum total size of the files of one owner, in bytes. Null: no limit. Each anonymous session
   * is an owner.
   */
  ownerQuota: field(checks.orNull(checks.whole(1, undefined, 'bytes')), 1024 * MiB),
  /** Height of the editor, as a CSS length. */
  defaultHeight: field(cssLength, '300px'),
  /** Text in an empty editor. */
  placeholder: field(checks.text, 'Add your comment here...'),
  /** Color theme. `auto` follows the system. */
  theme: field(checks.oneOf(CHOICES.theme), 'auto'),
  /**
   * If true, uploads and finalizing need a signed-in user. If false, anonymous visitors can upload,
   * and their session owns the files.
   */
  requireAuth: field(checks.boolean, true),
  /** If true, files that no record references any more are deleted after `orphanGrace`. */
  cleanupMedia: field(checks.boolean, true),
  /** Absolute URLs that texts may use instead of `mediaUrl`, for example the URL of a CDN. */
  publicUrls: field(checks.listOf(publicUrl), []),
}

/** The values of all settings. */
export type Settings = Values<typeof SETTINGS>

/** Settings of an application. If a setting is missing, its default applies. */
export type SettingsInput = Input<typeof SETTINGS>

/** The name of a setting. */
export type SettingName = keyof Settings

/** Checks the settings and adds the defaults. Paths must not overlap. The result is frozen. */
export function resolveSettings(input: SettingsInput = {}, basePath = '/md-editor'): Settings {
  const settings = parse(SETTINGS, input, 'settings')
  const permanent = fixedPathPrefix(settings.uploadPath)
  const temporary = settings.tempUploadPath
  if (permanent.startsWith(temporary) || temporary.startsWith(permanent)) {
    const problem = `must not overlap uploadPath (${JSON.stringify(permanent)})`
    throw new ConfigurationError('settings.tempUploadPath', problem, temporary)
  }
  const endpoints = ['upload', 'finalize', 'assets/'].map((name) => `${basePath}/${name}`)
  const media = settings.mediaUrl
  if (endpoints.some((path) => path.startsWith(media) || media.startsWith(path))) {
    const problem = `must not overlap with the endpoints under ${basePath}`
    throw new ConfigurationError('settings.mediaUrl', problem, media)
  }
  return settings
}
