import type { List, ListItem } from 'mdast'
import {
  attributeOf,
  findElement,
  type HtmlElement,
  type HtmlNode,
  hasClass,
  textOf,
} from './html-tree.ts'
import type { Inherited, Source } from './styles.ts'

declare module 'mdast' {
  interface ListData {
    /** The depth of the list, if the HTML states it as a number, as Word and Slack do. */
    level?: number
  }
}

/** Reads a list. If the HTML states the depth of an item, that item becomes a separate list. */
export function readList(element: HtmlElement, inner: Inherited, source: Source): List[] {
  const ordered = element.name === 'ol'
  const start = Number(/^\d{1,8}$/.exec(attributeOf(element, 'start').trim())?.[0] ?? 1)
  let list: List = { type: 'list', ordered, start, children: [] }
  const lists = [list]
  for (const child of element.children) {
    const li = typeof child !== 'string' && child.name === 'li' ? child : null
    const children = isBlank(child) ? [] : source.read(li?.children ?? [child], inner)
    if (children.length === 0) continue
    const level = li === null ? 0 : levelOf(element, li)
    const [first] = children
    const checked = li && checkedOf(li)
    if (checked !== null && first?.type === 'paragraph')
      first.children.unshift({ type: 'html', value: checked ? '[x] ' : '[ ] ' })
    const item: ListItem = { type: 'listItem', children }
    const last = list.children.at(-1)
    // Some editors write a nested list after its item instead of inside it.
    if (li === null && last !== undefined) for (const block of children) last.children.push(block)
    else if (level === 0 && list.data === undefined) list.children.push(item)
    else {
      list = { ...list, children: [item], data: level > 0 ? { level } : undefined }
      lists.push(list)
    }
  }
  return lists
}

/** Reads a paragraph that Word shows as a list item. Its text begins with a number or a bullet. */
export function readWordItem(
  element: HtmlElement,
  level: number,
  inner: Inherited,
  source: Source,
): List {
  const isMarker = (each: HtmlElement) => /mso-list:\s*ignore/i.test(attributeOf(each, 'style'))
  const marker = findElement(element, isMarker)
  const written = marker === null ? '' : textOf(marker).replace(/\s+/g, '')
  // `3.`, `1.2`, `b)` and `iv.` are numbers.
  const number = /^\(?(?:(?:\d{1,4}\.)*(\d{1,8})[.)]?|[a-z]{1,4}[.)])$/i.exec(written)
  const children = source.read(element.children, inner)
  return {
    type: 'list',
    ordered: number !== null,
    start: Number(number?.[1] ?? 1),
    children: children.length === 0 ? [] : [{ type: 'listItem', children }],
    data: { level },
  }
}

/** Adds a list, unless it is empty. A list with a level may continue the list before it. */
export function addList(blocks: ListItem['children'], list: List): void {
  const last = blocks.at(-1)
  const above = last?.type === 'list' && last.data !== undefined ? last : undefined
  const deeper = (list.data?.level ?? 0) - (above?.data?.level ?? 0)
  if (list.children.length === 0) return
  if (above === undefined || deeper < 0) blocks.push(list)
  else if (deeper > 0) addList(above.children.at(-1)?.children ?? blocks, list)
  else if (above.ordered === list.ordered) above.children.push(...list.children)
  else blocks.push(list)
}

function isBlank(node: HtmlNode): boolean {
  return typeof node === 'string' && node.trim() === ''
}

/** Returns the depth from 1, or 0 for none. Word on the web and Slack do not nest their lists. */
function levelOf(list: HtmlElement, item: HtmlElement): number {
  const listed =
    attributeOf(item, 'data-aria-level') ||
    (attributeOf(item, 'data-aria-posinset') && attributeOf(item, 'aria-level'))
  const indent = /^\d$/.exec(attributeOf(list, 'data-indent'))
  if (indent !== null) return Number(indent[0]) + 1
  return /^[1-9]$/.test(listed) ? Number(listed) : 0
}

/** Returns whether a task is completed, or null if the item is not a task. */
function checkedOf(item: HtmlElement): boolean | null {
  const said = attributeOf(item, 'aria-checked') || attributeOf(item, 'data-checked')
  if (/^(?:true|false)$/.test(said)) return said === 'true'
  if (item.attributes.has('data-inline-task-id')) return hasClass(item, /^checked$/)
  for (const child of item.children) {
    if (typeof child === 'string' ? child.trim() !== '' : /^(?:ul|ol)$/.test(child.name)) break
    const box = findElement(child, isBox)
    if (box !== null) return box.attributes.has('checked') || hasClass(box, /^checkbox-on$/)
  }
  return null
}

function isBox(element: HtmlElement): boolean {
  if (element.name === 'input') return attributeOf(element, 'type').toLowerCase() === 'checkbox'
  return hasClass(element, /^checkbox-(?:on|off)$/)
}
