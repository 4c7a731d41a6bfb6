import type { MarkdownIt } from 'markdown-it'

/**
 * Links bare addresses as GFM does: `http://`, `https://`, `www.` and mail addresses. Words that merely look like a
 * host, such as `README.md`, stay words.
 *
 * @see https://github.github.com/gfm/#autolinks-extension-
 */
export function addAutolinks(parser: MarkdownIt): void {
  const { linkify } = parser
  linkify.set({ fuzzyLink: false, fuzzyEmail: true })
  linkify.add('ftp:', null)
  linkify.add('//', null)
  const host = new RegExp(linkify.re.get_url_host_port().source + linkify.re.get_path().source, 'iy')
  linkify.add('www.', {
    validate: (text, position) => {
      host.lastIndex = position
      return host.exec(text)?.[0].length ?? 0
    },
    normalize: (match) => {
      match.url = `http://${match.url}`
    },
  })
}
