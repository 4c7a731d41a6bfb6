import { BaseRenderer } from '@quillgate/markdown/browser' // for servers and browsers

/** Adds links to the pages of a wiki, such as `[[Home]]`. */
export class WikiRenderer extends BaseRenderer {
  readonly #inner: BaseRenderer

  constructor(inner: BaseRenderer) {
    super()
    this.#inner = inner
  }

  override render(markdown: string, options?: { readonly scope?: string }): string {
    let isCode = false
    const lines = markdown.split('\n').map((line) => {
      if (/^ {0,3}(```|~~~)/.test(line)) isCode = !isCode
      return isCode ? line : line.replace(/`[^`]*`|\[\[([^[\]]+)\]\]/g, toLink)
    })
    return this.#inner.render(lines.join('\n'), options)
  }
}

function toLink(found: string, name?: string): string {
  if (name === undefined) return found // code
  return `[${name}](</wiki/${encodeURIComponent(name.toWellFormed())}>)`
}
