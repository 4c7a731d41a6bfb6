import {
  type BaseRenderer,
  DefaultRenderer,
  isMarkdownItInstalled,
  MarkdownRenderer,
} from '@quillgate/markdown'
import type { Logger } from '@quillgate/server/core'
import { assetBaseOf } from './client-assets.ts'
import type { EditorConfiguration } from './options.ts'
import type { Settings } from './settings.ts'
import type { WidgetDefaults, WidgetSource } from './widget/markdown-editor-widget.ts'

const NO_MARKDOWN_IT =
  'quillgate: the package markdown-it is not installed, so pages and previews show texts as they are written. ' +
  'Run "npm install markdown-it", or give the option renderer.'

/** The renderer, and what widgets take from it and from the settings. */
export interface ComposedWidget extends WidgetSource {
  readonly renderer: BaseRenderer
}

/** Composes renderer and widgets. Warns if markdown-it is missing. */
export function composeWidget(
  options: Pick<EditorConfiguration, 'renderer' | 'settings' | 'basePath'>,
  logger: Logger,
): ComposedWidget {
  if (lacksMarkdownIt(options.renderer)) logger.warn(NO_MARKDOWN_IT)
  let { renderer } = options
  return {
    // Created when it is needed, because a sweep, or a node that only takes uploads, needs no
    // parser and highlighter.
    get renderer() {
      renderer ??= createRenderer(logger)
      return renderer
    },
    get widgetDefaults() {
      return widgetDefaultsOf(options.settings, options.basePath, this.renderer)
    },
  }
}

/** Whether texts are shown as they are written because markdown-it is not installed. */
function lacksMarkdownIt(renderer: BaseRenderer | undefined): boolean {
  const isOurs =
    renderer === undefined ||
    (renderer instanceof DefaultRenderer && renderer.previewOptions.markdownIt === null)
  return isOurs && !isMarkdownItInstalled()
}

function createRenderer(logger: Logger): DefaultRenderer {
  return new DefaultRenderer({
    onFinding: ({ reason, html, position, line }) => {
      const excerpt = html.slice(position, position + 100)
      logger.error(
        'quillgate: rendered HTML has what its policy does not list; readers see it as text.',
        {
          ...{ reason, excerpt, line },
        },
      )
    },
  })
}

function widgetDefaultsOf(
  settings: Settings,
  basePath: string,
  renderer: BaseRenderer,
): WidgetDefaults {
  const { toolbar, defaultHeight, placeholder, theme, allowedUploadTypes } = settings
  // The preview shows the same as the page. The output of a custom renderer is unknown.
  const { embedHosts = null, ...others } =
    renderer instanceof MarkdownRenderer ? renderer.previewOptions : {}
  return {
    ...{ toolbar, placeholder, theme },
    uploadUrl: `${basePath}/upload`,
    finalizeUrl: `${basePath}/finalize`,
    height: defaultHeight,
    tempUrl: settings.mediaUrl + settings.tempUploadPath,
    tempMaxAge: settings.tempMaxAge,
    uploadTypes: allowedUploadTypes,
    maxUploadSize: settings.maxUploadSize,
    embedHosts,
    renderOptions: Object.keys(others).length === 0 ? null : others,
    previewDiffers: !isShownByPreview(renderer),
    highlightLanguages: renderer instanceof DefaultRenderer ? renderer.highlightLanguages : null,
    assetBase: assetBaseOf(basePath),
  }
}

/**
 * Whether the built-in preview gives the same HTML: the renderer is ours, without plugins, and not
 * extended.
 */
function isShownByPreview(renderer: BaseRenderer): boolean {
  const isOurs =
    renderer instanceof MarkdownRenderer && renderer.render === MarkdownRenderer.prototype.render
  return isOurs && !renderer.hasPlugins
}
