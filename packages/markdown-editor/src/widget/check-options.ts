import { ConfigurationError, type OptionCheck } from '@quillgate/server/core'
import {
  MODES,
  type Mode,
  SURFACES,
  type SurfaceChoice,
  THEMES,
  type Theme,
} from '../contract/choices.ts'
import { toCssLength } from '../contract/css-length.ts'
import { isToolbarItem, TOOLBAR_BUTTONS, type ToolbarItem } from '../contract/toolbar.ts'

// Each throws a ConfigurationError that says which values are valid.

/** Accepts a string, or null for the setting. */
export const mustBeTextOrNull: OptionCheck = (value, name) => {
  if (value !== null && typeof value !== 'string')
    throw new ConfigurationError(name, 'must be a string', value)
}

/** Accepts an editor, or null for none. */
export const mustBeEditorOrNull: OptionCheck = (value, name) => {
  if (value === null || (typeof value === 'object' && 'widgetDefaults' in value)) return
  throw new ConfigurationError(name, 'must be what createMarkdownEditor returns', value)
}

/** Accepts an object of attributes by name, or null for none. */
export const mustBeAttributesOrNull: OptionCheck = (value, name) => {
  if (typeof value === 'object' && !Array.isArray(value)) return
  throw new ConfigurationError(name, 'must be an object of HTML attributes', value)
}

/** Names of buttons, and separators. */
export function checkToolbar(items: readonly ToolbarItem[]): readonly ToolbarItem[] {
  if (!Array.isArray(items))
    throw new ConfigurationError('toolbar', 'must be a list of names', items)
  const unknown = items.find((item) => !isToolbarItem(item))
  if (unknown === undefined) return items
  throw new ConfigurationError(
    'toolbar',
    `knows only ${TOOLBAR_BUTTONS.join(', ')} and separator`,
    unknown,
  )
}

/** A CSS length of what may be a number of pixels. */
export function checkHeight(height: string | number): string {
  const length = toCssLength(height)
  if (length === null)
    throw new ConfigurationError('height', 'must be a CSS length or a number of pixels', height)
  return length
}

/** A theme that exists. */
export function checkTheme(theme: Theme): Theme {
  if (THEMES.includes(theme)) return theme
  throw new ConfigurationError('theme', 'must be auto, light or dark', theme)
}

/** A surface that exists, or none. */
export function checkSurface(surface: SurfaceChoice | null): SurfaceChoice | null {
  if (surface === null || SURFACES.includes(surface)) return surface
  throw new ConfigurationError('surface', 'must be auto, native or codemirror', surface)
}

/** A mode that exists, or none. */
export function checkMode(mode: Mode | null): Mode | null {
  if (mode === null || MODES.includes(mode)) return mode
  throw new ConfigurationError('mode', 'must be write, split or preview', mode)
}

/** A language tag, as it is written canonically. */
export function checkLocale(tag: string): string {
  try {
    const [canonical] = Intl.getCanonicalLocales(tag)
    if (canonical !== undefined) return canonical
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error
  }
  throw new ConfigurationError('locale', 'must be a language tag such as "en" or "de-CH"', tag)
}
