import {
  type BaseRenderer,
  DefaultRenderer,
  isMarkdownItInstalled,
  MarkdownRenderer,
} from '@quillgate/markdown'
import type { EditorOptions } from '@quillgate/markdown-editor-element/contract'
import type { Logger } from '@quillgate/server/core'
import { resolveSettings, type Settings } from '../settings.ts'
import { clientAssets } from './assets.ts'

/** The defaults of a widget: options of the element, and further values. */
export interface WidgetDefaults extends EditorOptions {
  readonly placeholder: string
  /** The setting `tempMaxAge` in seconds. Drafts are not kept longer than temporary files. */
  readonly tempMaxAge: number
  /** The URL path of `markdown-editor.js` and `markdown-editor.css`, with a final slash. */
  readonly assetBase: string
}

/** The property of an editor that a widget uses. */
export interface WidgetSource {
  readonly widgetDefaults: WidgetDefaults
}

/** The error text for a value that is not a {@link WidgetSource}. */
export const NOT_AN_EDITOR = 'must be the editor that createMarkdownEditor returns'

/** Returns true for an editor. Does not read `widgetDefaults`, which would create a renderer. */
export function isWidgetSource(value: unknown): value is WidgetSource {
  return typeof value === 'object' && value !== null && 'widgetDefaults' in value
}

/** The defaults of a widget without an editor, for the default `basePath` and settings. */
export const WIDGET_DEFAULTS: WidgetDefaults = defaultsOf(resolveSettings(), '/md-editor')

function defaultsOf(settings: Settings, basePath: string): WidgetDefaults {
  const { toolbar, placeholder, theme, tempMaxAge } = settings
  return {
    ...{ toolbar, placeholder, theme, tempMaxAge },
    uploadUrl: `${basePath}/upload`,
    finalizeUrl: `${basePath}/finalize`,
    height: settings.defaultHeight,
    tempUrl: settings.mediaUrl + settings.tempUploadPath,
    // The first read of this property reads files.
    get assetBase() {
      return clientAssets.base(`${basePath}/assets/`)
    },
  }
}

const NO_MARKDOWN_IT =
  'quillgate: the package markdown-it is not installed, so pages and previews show texts without formatting. ' +
  'Run "npm install markdown-it", or pass the option renderer.'

/**
 * Returns the renderer and the widget defaults of an editor. They are created only when they are
 * read, because a process that only sweeps or receives uploads does not need them.
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
        'quillgate: rendered HTML contains a part that its policy does not allow. Readers see this part as text.'
      logger.error(message, { reason, excerpt, line })
    },
  })
}

function widgetDefaultsOf(
  settings: Settings,
  basePath: string,
  renderer: BaseRenderer,
): WidgetDefaults {
  // With these options, the preview looks like the page.
  const { embedHosts, ...renderOptions } =
    renderer instanceof MarkdownRenderer ? renderer.previewOptions : {}
  return {
    ...defaultsOf(settings, basePath),
    embedHosts,
    maxUploadSize: settings.maxUploadSize,
    uploadTypes: settings.allowedUploadTypes,
    renderOptions: Object.keys(renderOptions).length === 0 ? undefined : renderOptions,
    // The built-in preview renders like `MarkdownRenderer`. A subclass may override `render`.
    previewDiffers: renderer.render !== MarkdownRenderer.prototype.render,
    highlightLanguages:
      renderer instanceof DefaultRenderer ? (renderer.highlightLanguages ?? undefined) : undefined,
  }
}
