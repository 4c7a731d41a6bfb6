import {
  type BaseRenderer,
  DefaultRenderer,
  isMarkdownItInstalled,
  MarkdownRenderer,
} from '@quillgate/markdown'
import { DEFAULT_TOOLBAR, type EditorOptions } from '@quillgate/markdown-editor-element/contract'
import type { Logger } from '@quillgate/server/core'
import type { Settings } from '../settings.ts'
import { assetBaseOf } from './assets.ts'

/** Defaults of a widget, from the editor's settings: the options of the element, and these. */
export interface WidgetDefaults extends EditorOptions {
  readonly placeholder: string
  /** How long temporary files are kept, in seconds; drafts no longer. */
  readonly tempMaxAge: number
  /** Where `markdown-editor.js` and `markdown-editor.css` are served, with a final slash. */
  readonly assetBase: string
}

/** An editor, as a widget needs it. */
export interface WidgetSource {
  readonly widgetDefaults: WidgetDefaults
}

/** The defaults of a widget without an editor: those of an editor without `basePath` and settings. */
export const WIDGET_DEFAULTS: WidgetDefaults = {
  toolbar: DEFAULT_TOOLBAR,
  uploadUrl: '/md-editor/upload',
  finalizeUrl: '/md-editor/finalize',
  tempUrl: '/media/md-editor/tmp/',
  height: '300px',
  placeholder: 'Add your comment here...',
  theme: 'auto',
  tempMaxAge: 86_400,
  get assetBase() {
    return assetBaseOf('/md-editor')
  },
}

const NO_MARKDOWN_IT =
  'quillgate: the package markdown-it is not installed, so pages and previews show texts as they are written. ' +
  'Run "npm install markdown-it", or give the option renderer.'

/**
 * Returns the renderer and the defaults of an editor's widgets. They are created when they are
 * needed, because a sweep, or a node that only takes uploads, needs no parser and highlighter.
 * Warns if markdown-it is missing.
 */
export function createWidgetSource(
  given: BaseRenderer | undefined,
  settings: Settings,
  basePath: string,
  logger: Logger,
): WidgetSource & { readonly renderer: BaseRenderer } {
  const isEscaping =
    given === undefined ||
    (given instanceof DefaultRenderer && given.previewOptions.markdownIt === null)
  if (isEscaping && !isMarkdownItInstalled()) logger.warn(NO_MARKDOWN_IT)
  let renderer = given
  return {
    get renderer() {
      renderer ??= createRenderer(logger)
      return renderer
    },
    get widgetDefaults() {
      return widgetDefaultsOf(settings, basePath, this.renderer)
    },
  }
}

function createRenderer(logger: Logger): DefaultRenderer {
  return new DefaultRenderer({
    onFinding: ({ reason, html, position, line }) => {
      const excerpt = html.slice(position, position + 100)
      const message =
        'quillgate: rendered HTML has what its policy does not list; readers see it as text.'
      logger.error(message, { reason, excerpt, line })
    },
  })
}

function widgetDefaultsOf(
  settings: Settings,
  basePath: string,
  renderer: BaseRenderer,
): WidgetDefaults {
  const { toolbar, placeholder, theme, tempMaxAge, maxUploadSize } = settings
  // With these options, the preview renders like the page. A custom renderer has none to read.
  const { embedHosts, ...renderOptions } =
    renderer instanceof MarkdownRenderer ? renderer.previewOptions : {}
  return {
    ...{ toolbar, placeholder, theme, tempMaxAge, maxUploadSize, embedHosts },
    uploadUrl: `${basePath}/upload`,
    finalizeUrl: `${basePath}/finalize`,
    height: settings.defaultHeight,
    tempUrl: settings.mediaUrl + settings.tempUploadPath,
    uploadTypes: settings.allowedUploadTypes,
    renderOptions: Object.keys(renderOptions).length === 0 ? undefined : renderOptions,
    previewDiffers: !isShownByPreview(renderer),
    highlightLanguages:
      renderer instanceof DefaultRenderer ? (renderer.highlightLanguages ?? undefined) : undefined,
    assetBase: assetBaseOf(basePath),
  }
}

/** Whether the built-in preview gives the same HTML: our renderer, not extended. */
function isShownByPreview(renderer: BaseRenderer): boolean {
  return (
    renderer instanceof MarkdownRenderer && renderer.render === MarkdownRenderer.prototype.render
  )
}
