import type { BlockContent, List, ListItem } from 'mdast'
import { attributeOf, findElement, type HtmlElement, type HtmlNode, hasClass } from './html-tree.ts'
import type { Inherited, Source } from './styles.ts'

/** A list item whose depth is given as a number, as in HTML of Word and Slack. */
export interface LevelItem {
  readonly level: number
  readonly ordered: boolean
  readonly start: number
  readonly item: ListItem
}

/** Converts a flat sequence of items to nested lists. */
export function nestItems(items: readonly LevelItem[]): BlockContent[] {
  const roots: BlockContent[] = []
  const open: { level: number; list: List }[] = []
  for (const { level, ordered, start, item } of items) {
    while ((open.at(-1)?.level ?? 0) > level) open.pop()
    const same = open.at(-1)
    if (same?.level === level && same.list.ordered !== ordered) open.pop()
    let top = open.at(-1)
    if (top === undefined || top.level < level) {
      const list: List = { type: 'list', ordered, start, children: [] }
      const parent = top?.list.children.at(-1)?.children ?? roots
      parent.push(list)
      top = { level, list }
      open.push(top)
    }
    top.list.children.push(item)
  }
  return roots
}

/** Reads Word's marker of a list item: `3.`, `1.2`, `b)` and `iv.` are numbers. */
export function readMarker(marker: string): { readonly ordered: boolean; readonly start: number } {
  const match = /^\(?(?:(?:\d{1,4}\.)*(\d{1,8})[.)]?|[a-z]{1,4}[.)])$/i.exec(
    marker.replace(/\s+/g, ''),
  )
  return { ordered: match !== null, start: Number(match?.[1] ?? 1) }
}

/** Reads a list. If its items give their depth as a number, returns the items instead. */
export function readList(
  element: HtmlElement,
  around: Inherited,
  source: Source,
): List | LevelItem[] {
  const ordered = element.name === 'ol'
  const inner = { ...around, depth: around.depth + 1 }
  const number = /^\d{1,8}$/.exec(attributeOf(element, 'start').trim())?.[0]
  const start = number === undefined ? 1 : Number(number)
  const levels: LevelItem[] = []
  const items: ListItem[] = []
  for (const child of element.children) {
    if (isBlank(child)) continue
    const li = typeof child !== 'string' && child.name === 'li' ? child : null
    const children = source.read(li?.children ?? [child], inner)
    const last = items.at(-1)
    if (li === null) {
      // Some editors write a nested list after its item instead of inside it.
      if (last !== undefined) for (const block of children) last.children.push(block)
      else if (children.length > 0) items.push({ type: 'listItem', children })
      continue
    }
    if (children.length === 0) continue
    const item: ListItem = { type: 'listItem', checked: checkedOf(li), children }
    const level = levelOf(element, li)
    if (level > 0) levels.push({ level, ordered, start, item })
    else items.push(item)
  }
  if (levels.length > 0 && items.length === 0) return levels
  return { type: 'list', ordered, start, children: items }
}

function isBlank(node: HtmlNode): boolean {
  return typeof node === 'string' && node.trim() === ''
}

/**
 * Returns the depth of an item, from 1, or 0 if the item has no depth. Word on the web and Slack
 * write nested lists one after the other, with a depth for each.
 */
function levelOf(list: HtmlElement, item: HtmlElement): number {
  const listed =
    attributeOf(item, 'data-aria-level') ||
    (attributeOf(item, 'data-aria-posinset') && attributeOf(item, 'aria-level'))
  const indent = /^\d$/.exec(attributeOf(list, 'data-indent'))
  if (indent !== null) return Number(indent[0]) + 1
  return /^[1-9]$/.test(listed) ? Number(listed) : 0
}

/** True if a task is completed; null if the item is not a task. */
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
