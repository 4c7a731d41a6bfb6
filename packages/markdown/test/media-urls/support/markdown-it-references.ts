import MarkdownIt, { type Token } from 'markdown-it'

const parser = new MarkdownIt({ html: true })
parser.normalizeLink = (url) => url
parser.validateLink = () => true

/** The URLs that markdown-it finds in a document: those of images and links, and of the media tags in raw HTML. */
export function markdownItReferences(markdown: string): Set<string> {
  const urls = parser.parse(markdown, {}).flatMap(urlsOf)
  return new Set(urls.filter((url) => url !== '' && !url.startsWith('mailto:')))
}

function urlsOf(token: Token): string[] {
  const inner = (token.children ?? []).flatMap(urlsOf)
  switch (token.type) {
    case 'image':
      return [String(token.attrGet('src') ?? ''), ...inner]
    case 'link_open':
      return [String(token.attrGet('href') ?? '')]
    case 'html_block':
    case 'html_inline':
      return mediaTagUrls(token.content)
    default:
      return inner
  }
}

function mediaTagUrls(html: string): string[] {
  const visible = html.replace(/<!--(?:-?>|[\s\S]*?-->|[\s\S]*$)/g, '')
  return [...visible.matchAll(/<(?:img|video) src=["']([^"']*)["']>/g)].map(([, url]) => url ?? '')
}
