import type { MarkdownIt, StateCore, Token } from 'markdown-it'

// Raw tags that a label may hold; comments and the like, which vanish, do no harm. Not among them: other controls,
// labels, and all that is no text.
const textTag =
  /^<(?:[!?]|\/?(?:a|abbr|b|bdi|bdo|br|cite|code|del|dfn|em|i|img|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|u|var|wbr)(?![\w-]))/i

/**
 * Reads list items that begin with `[ ]` or `[x]` as tasks, with a disabled checkbox. The first paragraph labels it, so
 * that screen readers say what is done or not. Links and images may stand in a label: they keep their own role, and
 * what they say is part of the name. Only raw HTML that is more than text leaves the checkbox without a label, because
 * a label must not hold other controls or blocks.
 *
 * @see https://github.github.com/gfm/#task-list-items-extension-
 * @see https://html.spec.whatwg.org/multipage/forms.html#the-label-element
 */
export function addTaskLists(parser: MarkdownIt): void {
  parser.core.ruler.after('inline', 'task_lists', (state) => {
    const lists: Token[] = []
    state.tokens.forEach((token, index) => {
      if (token.tag === 'ul' || token.tag === 'ol') {
        if (token.nesting === 1) lists.push(token)
        else lists.pop()
      } else if (token.type === 'list_item_open' && addCheckbox(state, index)) {
        token.attrSet('class', 'task-list-item')
        lists.at(-1)?.attrSet('class', 'contains-task-list')
      }
    })
  })
}

function addCheckbox(state: StateCore, item: number): boolean {
  const [paragraph, inline] = state.tokens.slice(item + 1, item + 3)
  const [text, next] = inline?.children ?? []
  if (paragraph?.type !== 'paragraph_open' || inline?.children == null || text?.type !== 'text')
    return false
  const mark = /^\[([ xX])\](?=\s|$)/.exec(text.content)
  if (mark === null || (text.content.length === mark[0].length && next?.type !== 'softbreak'))
    return false
  text.content = text.content.slice(mark[0].length)
  const content = [toCheckbox(state, mark[1] !== ' '), ...inline.children]
  inline.children = canBeLabel(content) ? toLabel(state, content) : content
  return true
}

function toCheckbox({ Token: TokenClass }: StateCore, isChecked: boolean): Token {
  const checkbox = new TokenClass('task_checkbox', 'input', 0)
  checkbox.attrs = [
    ['class', 'task-list-item-checkbox'],
    ['type', 'checkbox'],
    ['disabled', ''],
  ]
  if (isChecked) checkbox.attrPush(['checked', ''])
  return checkbox
}

function canBeLabel(content: readonly Token[]): boolean {
  return content.every(({ type, content: html }) => type !== 'html_inline' || textTag.test(html))
}

function toLabel({ Token: TokenClass }: StateCore, content: readonly Token[]): Token[] {
  for (const token of content) token.level++
  return [
    new TokenClass('task_label_open', 'label', 1),
    ...content,
    new TokenClass('task_label_close', 'label', -1),
  ]
}
