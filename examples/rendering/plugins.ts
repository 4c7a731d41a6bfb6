import type { MarkdownItPlugin } from '@quillgate/markdown'
import type { MarkdownIt } from 'markdown-it'

const mention = /(?<!\w)@(\w{1,39})/y

// `@ada` leads to her page.
function mentions(parser: MarkdownIt): void {
  parser.inline.ruler.push('mention', (state, silent) => {
    mention.lastIndex = state.pos
    const name = mention.exec(state.src)?.[1]
    if (name === undefined) return false
    if (!silent) {
      state.push('link_open', 'a', 1).attrs = [['href', `/users/${name}`]]
      state.push('text', '', 0).content = `@${name}`
      state.push('link_close', 'a', -1)
    }
    state.pos += name.length + 1
    return true
  })
}
export const plugins: readonly MarkdownItPlugin[] = [mentions]
