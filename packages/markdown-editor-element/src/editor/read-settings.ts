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

const OPTIONS = ['policy', 'alertTitles', 'maxLength', 'markdownIt']

/** Parses the attribute `render-options`. The renderer validates the values. */
function readRenderOptions(json: string | null): PreviewOptions {
  const options = json === null ? {} : parseObject(json)
  if (options === null) {
    warn('is not a JSON object, so the preview uses the defaults.')
    return {}
  }
  const unknown = Object.keys(options).filter((name) => !OPTIONS.includes(name))
  if (unknown.length > 0) warn(`has unknown options: ${unknown.join(', ')}.`)
  return Object.fromEntries(Object.entries(options).filter(([name]) => OPTIONS.includes(name)))
}

function warn(problem: string): void {
  // biome-ignore lint/suspicious/noConsole: it helps the developer of the page
  console.warn(`markdown-editor: the attribute "render-options" ${problem}`)
}

function parseObject(json: string): PreviewOptions | null {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
