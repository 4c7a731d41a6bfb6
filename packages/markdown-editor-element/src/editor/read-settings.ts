import type { PreviewOptions } from '@quillgate/markdown/browser'

/** The settings of the preview, with the names of the renderer's options. */
export interface PreviewSettings extends PreviewOptions {
  readonly highlightLanguages: readonly string[]
}

/** Throws a SyntaxError if `render-options` is not JSON. The renderer validates the values. */
export function readSettings(host: HTMLElement): PreviewSettings {
  const hosts = host.getAttribute('embed-hosts')
  const options: PreviewOptions = JSON.parse(host.getAttribute('render-options') ?? '{}')
  return {
    ...options,
    ...(hosts === null ? {} : { embedHosts: wordsOf(hosts) }),
    highlightLanguages: wordsOf(host.getAttribute('highlight-languages') ?? ''),
  }
}

function wordsOf(attribute: string): string[] {
  return attribute.match(/\S+/g) ?? []
}
