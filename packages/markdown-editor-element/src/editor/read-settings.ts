import type { PreviewOptions } from '@quillgate/markdown/browser'

/** The settings of the preview, with the names of the renderer's options. */
export interface PreviewSettings extends PreviewOptions {
  readonly highlightLanguages: readonly string[]
}

/** Reads the settings of the preview from the attributes of an element. */
export function readSettings(host: HTMLElement): PreviewSettings {
  const hosts = host.getAttribute('embed-hosts')
  return {
    ...readRenderOptions(host.getAttribute('render-options')),
    ...(hosts === null ? {} : { embedHosts: wordsOf(hosts) }),
    highlightLanguages: wordsOf(host.getAttribute('highlight-languages') ?? ''),
  }
}

function wordsOf(attribute: string): string[] {
  return attribute.match(/\S+/g) ?? []
}

/** Parses the attribute `render-options`. The renderer validates the values. */
function readRenderOptions(json: string | null): PreviewOptions {
  const options = json === null ? {} : parseObject(json)
  if (options === null) {
    // biome-ignore lint/suspicious/noConsole: it helps the developer of the page
    console.warn(
      'markdown-editor: the attribute "render-options" is not a JSON object, so the preview uses the defaults.',
    )
    return {}
  }
  const { policy, alertTitles, maxLength, markdownIt, ...unknown } = options
  const names = Object.keys(unknown).join(', ')
  if (names !== '') {
    // biome-ignore lint/suspicious/noConsole: it helps the developer of the page
    console.warn(`markdown-editor: the attribute "render-options" has unknown options: ${names}.`)
  }
  return {
    ...(policy === undefined ? {} : { policy }),
    ...(alertTitles === undefined ? {} : { alertTitles }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(markdownIt === undefined ? {} : { markdownIt: null }),
  }
}

function parseObject(json: string): PreviewOptions | null {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
