import { BaseRenderer } from '@quillgate/markdown/browser' // for servers and browsers

// Matches names of pages. Also matches code, links and tags, which stay unchanged.
const PARTS = /<(code|pre|a)\b.*?<\/\1>|<[^>]*>|\[\[([\p{L}\p{N} _-]+)\]\]/gsu

/** Adds links to the pages of a wiki, such as `[[Home]]`. */
export class WikiRenderer extends BaseRenderer {
  readonly #inner: BaseRenderer

  constructor(inner: BaseRenderer) {
    super()
    this.#inner = inner
  }

  override render(markdown: string, options?: { readonly scope?: string }): string {
    return this.#inner.render(markdown, options).replace(PARTS, toLink)
  }
}

function toLink(found: string, _element?: string, name?: string): string {
  if (name === undefined) return found
  return `<a href="/wiki/${encodeURIComponent(name)}">${name}</a>`
}
