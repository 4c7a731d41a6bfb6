import type { MarkdownRendererOptions } from '@quillgate/markdown'

const fromCdn = (url: string) => (url.startsWith('/media/') ? `https://cdn.example.com${url}` : url)

export const onMedium: NonNullable<MarkdownRendererOptions['onMedium']> = ({ element, url }) =>
  element === 'img' ? { url: fromCdn(url), loading: 'lazy' } : { url: fromCdn(url) }
