import type { MarkdownIt, StateCore, Token } from 'markdown-it'

/**
 * Reads list items that begin with `[ ]` or `[x]` as tasks, with a disabled checkbox.
 *
 * @see https://github.github.com/gfm/#task-list-items-extension-
 */
export function addTaskLists(parser: MarkdownIt): void {
  parser.core.ruler.after('inline', 'task_lists', (state) => {
    const lists: Token[] = []
    state.tokens.forEach((token, index) => {
      if (/^(bullet|ordered)_list_open$/.test(token.type)) lists.push(token)
      else if (/^(bullet|ordered)_list_close$/.test(token.type)) lists.pop()
      else if (token.type === 'list_item_open' && addCheckbox(state, index)) {
        token.attrSet('class', 'task-list-item')
        lists.at(-1)?.attrSet('class', 'contains-task-list')
      }
    })
  })
}

function addCheckbox({ tokens, Token: TokenClass }: StateCore, item: number): boolean {
  const [paragraph, inline] = tokens.slice(item + 1, item + 3)
  const text = inline?.children?.[0]
  if (paragraph?.type !== 'paragraph_open' || inline?.children == null || text?.type !== 'text') return false
  const mark = /^\[([ xX])\](?=\s)/.exec(text.content)
  if (mark === null) return false
  const checkbox = new TokenClass('task_checkbox', 'input', 0)
  checkbox.attrs = [
    ['class', 'task-list-item-checkbox'],
    ['type', 'checkbox'],
    ['disabled', ''],
  ]
  if (mark[1] !== ' ') checkbox.attrPush(['checked', ''])
  text.content = text.content.slice(3)
  inline.children.unshift(checkbox)
  return true
}
