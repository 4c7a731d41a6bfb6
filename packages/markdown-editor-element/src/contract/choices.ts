/** Where one may write. */
export const SURFACES = ['auto', 'native', 'codemirror'] as const

/**
 * Where one writes: `native` is the textarea, `codemirror` a surface that draws only what is seen, `auto` takes that for
 * long texts.
 */
export type SurfaceChoice = (typeof SURFACES)[number]

/** All modes, in the order of their tabs. */
export const MODES = ['write', 'split', 'preview'] as const

/** The view of an editor: the text, both side by side, or the preview. */
export type Mode = (typeof MODES)[number]

/** All themes. */
export const THEMES = ['auto', 'light', 'dark'] as const

/** The colours: light, dark, or as the system has them. */
export type Theme = (typeof THEMES)[number]
