import {
  givenSettings,
  parseBasePath,
  type SettingsInput as SettingsInputOf,
  UnknownSettingError,
} from '@quillgate/server/core'
import { THEMES, type Theme } from './contract/choices.ts'
import { DEFAULT_HIGHLIGHT_LANGUAGES } from './contract/highlight-languages.ts'
import { DEFAULT_TOOLBAR, type ToolbarItem } from './contract/toolbar.ts'
import { DEFAULT_UPLOAD_TYPES } from './media/upload/media-types.ts'
import { defaultEmbedHosts } from './rendering/policy/default-policy.ts'
import {
  boolean,
  type Check,
  cssLength,
  endpointUrl,
  fail,
  fixedStorageFolder,
  hostName,
  languageName,
  listOf,
  locale,
  mediaUrl,
  oneOf,
  orNull,
  permanentFilesUrl,
  pixels,
  positiveInteger,
  publicUrl,
  rate,
  seconds,
  storageFolder,
  text,
  toolbarItem,
  uploadType,
} from './setting-checks.ts'
import { fixedPathPrefix } from './storage/path-template.ts'

/** Every setting of the markdown editor. Durations are seconds, sizes are bytes. */
export interface Settings {
  /** Buttons and separators of the toolbar, in order; an empty list means no toolbar. A widget may have its own. */
  readonly toolbar: readonly ToolbarItem[]
  /** Where the widget posts files to: a path or an absolute URL. @default '/md-editor/upload' */
  readonly uploadUrl: string
  /** Where the widget posts texts to before submit: a path or an absolute URL. @default '/md-editor/finalize' */
  readonly finalizeUrl: string
  /** Path under which media are served; it begins and ends with a slash. @default '/media/' */
  readonly mediaUrl: string
  /** Media types that may be uploaded, exactly; never HTML, SVG or other XML, style sheets or scripts. */
  readonly allowedUploadTypes: readonly string[]
  /** Longest file that may be uploaded. @default 52_428_800 (50 MiB) */
  readonly maxUploadSize: number
  /**
   * Most pixels of an image, width times height; an animation may have twenty times as many in all its frames together.
   * @default 50_000_000
   */
  readonly maxImagePixels: number
  /**
   * True: place, time, camera, owner, comments and thumbnails are removed from images as they are uploaded; colour
   * profile and orientation stay, and pixels are not touched. @default true
   */
  readonly stripMetadata: boolean
  /** Longest text that is finalized, in bytes of UTF-8. @default 4_194_304 (4 MiB) */
  readonly maxTextSize: number
  /**
   * Folder of permanent files in the storage. `%Y`, `%m`, `%d` and `%H` stand for the date of finalizing, in UTC; the
   * first segment is fixed. @default 'md-editor/uploads/%Y/%m/'
   */
  readonly uploadPath: string
  /** Folder of temporary files in the storage, apart from `uploadPath`. @default 'md-editor/tmp/' */
  readonly tempUploadPath: string
  /** Age at which the sweep deletes a temporary file. @default 86_400 (a day) */
  readonly tempMaxAge: number
  /**
   * Age at which the sweep deletes a finalized file that no record references, and that nobody who manages it ever
   * saved in a record. Null: never. Set it only when every text that contains media is tracked; files in other texts
   * are deleted. @default null
   */
  readonly unsavedGrace: number | null
  /** How long the bytes of an orphan are kept; its URL answers 404 at once. 0: deleted on save. @default 86_400 */
  readonly orphanGrace: number
  /**
   * How often this process sweeps; it does a little after uploads too, at most once a minute. Null: it never does, and
   * `markdown-editor sweep` must be run. @default 3600 (an hour)
   */
  readonly sweepInterval: number | null
  /**
   * How long the ledger remembers deleted files: who deleted them, when and why. Null: for ever.
   * @default 31_536_000 (a year)
   */
  readonly auditAge: number | null
  /**
   * Uploads that one user (or one address, for anonymous uploads) may start, as in `'60/minute'`; null: no limit. Texts
   * that they may finalize are counted apart, ten times as many.
   */
  readonly uploadRateLimit: string | null
  /**
   * Bytes that the files of one owner may take together; null: no limit. An anonymous session is an owner of its own, so
   * that only `uploadRateLimit` bounds anonymous visitors. @default 1_073_741_824 (1 GiB)
   */
  readonly ownerQuota: number | null
  /** Height of the editor, a CSS length. A widget may have its own. @default '300px' */
  readonly defaultHeight: string
  /** Text in an empty editor. A widget may have its own. @default 'Add your comment here...' */
  readonly placeholder: string
  /** Colours: `light`, `dark`, or `auto` to follow the system. @default 'auto' */
  readonly theme: Theme
  /**
   * True: uploads and finalizing need a signed-in user. False: anonymous sessions own what they upload. @default true
   */
  readonly requireAuth: boolean
  /** True: saving a record deletes the media that nothing references any more. @default true */
  readonly cleanupMedia: boolean
  /** Hosts from which a rendered text may embed frames. @default YouTube, Vimeo and CodePen */
  readonly embedHosts: readonly string[]
  /** Languages whose code blocks are highlighted, by the names of highlight.js (`xml` for HTML). */
  readonly highlightLanguages: readonly string[]
  /** Other absolute URLs of `mediaUrl` that texts may contain, for example that of a CDN in front. @default [] */
  readonly publicUrls: readonly string[]
  /**
   * Absolute URL under which a bucket or CDN serves permanent files by their keys, for example
   * `https://media.example.com/`: finalizing then gives such URLs. Orphans stay there until `orphanGrace` ends. Null:
   * the application serves all files. @default null
   */
  readonly publicUrl: string | null
  /**
   * True: browsers and shared caches keep permanent files for a year without asking again, orphans included. False: for
   * five minutes. @default false
   */
  readonly immutableMedia: boolean
  /** Language of the editor's own words, a BCP 47 tag. @default 'en' */
  readonly locale: string
}

/** Settings as an application gives them: what is left out has its default. */
export type SettingsInput = SettingsInputOf<Settings>

/** The name of a setting. */
export type SettingName = keyof Settings

/** What {@link resolveSettings} needs to know beside the settings. */
export interface ResolveSettingsOptions {
  /**
   * Path under which the endpoints are. It moves the defaults of `uploadUrl` and `finalizeUrl`. @default '/md-editor'
   */
  readonly basePath?: string
}

/** The default of `basePath`. */
export const DEFAULT_BASE_PATH = '/md-editor'

const KiB = 1024
const MiB = 1024 * KiB
const DAY = 86_400

const defaults = (basePath: string): Settings => ({
  toolbar: DEFAULT_TOOLBAR,
  uploadUrl: `${basePath}/upload`,
  finalizeUrl: `${basePath}/finalize`,
  mediaUrl: '/media/',
  allowedUploadTypes: DEFAULT_UPLOAD_TYPES,
  maxUploadSize: 50 * MiB,
  maxImagePixels: 50_000_000,
  stripMetadata: true,
  maxTextSize: 4 * MiB,
  uploadPath: 'md-editor/uploads/%Y/%m/',
  tempUploadPath: 'md-editor/tmp/',
  tempMaxAge: DAY,
  unsavedGrace: null,
  orphanGrace: DAY,
  sweepInterval: 3600,
  auditAge: 365 * DAY,
  uploadRateLimit: '60/minute',
  ownerQuota: 1024 * MiB,
  defaultHeight: '300px',
  placeholder: 'Add your comment here...',
  theme: 'auto',
  requireAuth: true,
  cleanupMedia: true,
  embedHosts: defaultEmbedHosts,
  highlightLanguages: DEFAULT_HIGHLIGHT_LANGUAGES,
  publicUrls: [],
  publicUrl: null,
  immutableMedia: false,
  locale: 'en',
})

/** One check for each setting. */
const CHECKS: { readonly [Key in keyof Settings]: Check<Settings[Key]> } = {
  toolbar: listOf(toolbarItem),
  uploadUrl: endpointUrl,
  finalizeUrl: endpointUrl,
  mediaUrl,
  allowedUploadTypes: listOf(uploadType),
  maxUploadSize: positiveInteger,
  maxImagePixels: pixels,
  stripMetadata: boolean,
  maxTextSize: positiveInteger,
  uploadPath: storageFolder,
  tempUploadPath: fixedStorageFolder,
  tempMaxAge: seconds,
  unsavedGrace: orNull(seconds),
  orphanGrace: seconds,
  sweepInterval: orNull(positiveInteger),
  auditAge: orNull(seconds),
  uploadRateLimit: orNull(rate),
  ownerQuota: orNull(positiveInteger),
  defaultHeight: cssLength,
  placeholder: text,
  theme: oneOf(THEMES),
  requireAuth: boolean,
  cleanupMedia: boolean,
  embedHosts: listOf(hostName),
  highlightLanguages: listOf(languageName),
  publicUrls: listOf(publicUrl),
  publicUrl: orNull(permanentFilesUrl),
  immutableMedia: boolean,
  locale,
}

const settingNames = Object.keys(CHECKS) as SettingName[]

/**
 * Checks an application's settings and adds the defaults. The answer is frozen, lists included.
 *
 * @throws ConfigurationError that names the setting and the value: an unknown name (with those that may have been
 * meant), a wrong type, a value out of range, paths that contain each other
 * @example
 * const settings = resolveSettings({ maxUploadSize: 10 * 1024 * 1024 })
 */
export function resolveSettings(
  input: SettingsInput = {},
  options: ResolveSettingsOptions = {},
): Settings {
  const given = givenSettings(input, settingNames)
  const basePath = parseBasePath(options.basePath ?? DEFAULT_BASE_PATH)
  const merged: Record<string, unknown> = { ...defaults(basePath), ...given }
  const checked = Object.fromEntries(
    settingNames.map((name) => [name, CHECKS[name](merged[name], name)]),
  )
  const settings = checked as unknown as Settings // each member was checked by the check of its own type
  checkPaths(settings, basePath)
  return Object.freeze(settings)
}

/**
 * The value of one setting, typed by its name.
 *
 * @throws UnknownSettingError for a name that is no setting, members of every object (`constructor`) included
 */
export function getSetting<Key extends SettingName>(settings: Settings, key: Key): Settings[Key] {
  if (!isSettingName(key)) throw new UnknownSettingError(String(key), settingNames)
  return settings[key]
}

/** What no setting can tell alone: permanent and temporary files are apart, and media do not hide the endpoints. */
function checkPaths(settings: Settings, basePath: string): void {
  const permanent = fixedPathPrefix(settings.uploadPath)
  const temporary = settings.tempUploadPath
  if (permanent.startsWith(temporary) || temporary.startsWith(permanent)) {
    fail(
      'tempUploadPath',
      `must be apart from uploadPath (${JSON.stringify(permanent)})`,
      temporary,
    )
  }
  const endpoints = [`${basePath}/upload`, `${basePath}/finalize`, `${basePath}/assets/`]
  const { mediaUrl } = settings
  if (endpoints.some((path) => path.startsWith(mediaUrl) || mediaUrl.startsWith(path))) {
    fail('mediaUrl', `must be apart from the endpoints under ${basePath}`, mediaUrl)
  }
}

function isSettingName(name: unknown): name is SettingName {
  return (settingNames as readonly unknown[]).includes(name)
}
