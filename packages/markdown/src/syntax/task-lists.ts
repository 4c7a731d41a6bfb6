import type { MarkdownIt, StateCore, Token } from 'markdown-it'

const taskBox = /^\[[ xX]\](?=\s|$)/
// Matches the tags of text-level elements. Also matches comments and declarations, which are
// removed later.
const textTag =
  /^<(?:[!?]|\/?(?:a|abbr|b|bdi|bdo|br|cite|code|del|dfn|em|i|img|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|u|var|wbr)(?![\w-]))/i

/**
 * Adds task lists: list items that begin with `[ ]` or `[x]` get a disabled checkbox. The first
 * paragraph becomes the label of the checkbox, so that screen readers announce the task. There is
 * no label if the paragraph contains a block-level HTML element or another form control.
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
  const box = taskBox.exec(text.content)?.[0] ?? ''
  if (box === '' || (text.content.length === box.length && next?.type !== 'softbreak')) return false
  text.content = text.content.slice(box.length)
  const content = [toCheckbox(state, box !== '[ ]'), ...inline.children]
  inline.children = canBeLabel(content) ? toLabel(state, content) : content
  return true
}

function toCheckbox({ Token: TokenClass }: StateCore, isChecked: boolean): Token {
  const checkbox = new TokenClass('task_checkbox', 'input', 0)
  checkbox.attrSet('class', 'task-list-item-checkbox')
  checkbox.attrSet('type', 'checkbox')
  checkbox.attrSet('disabled', '')
  if (isChecked) checkbox.attrSet('checked', '')
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
