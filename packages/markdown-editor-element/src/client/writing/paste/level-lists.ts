import type { Block, ListBlock, ListItem } from './blocks.ts'

/** An item of a list that tells its depth as a number: Word's and Slack's are not inside each other. */
export interface LevelItem {
  /** From 1. */
  readonly level: number
  readonly ordered: boolean
  readonly start: number
  readonly item: ListItem
}

/** Makes nested lists of items in their order. */
export function nestItems(items: readonly LevelItem[]): Block[] {
  const roots: Block[] = []
  const open: { level: number; list: ListBlock }[] = []
  for (const { level, ordered, start, item } of items) {
    while ((open.at(-1)?.level ?? 0) > level) open.pop()
    const same = open.at(-1)
    if (same?.level === level && same.list.ordered !== ordered) open.pop()
    let top = open.at(-1)
    if (top === undefined || top.level < level) {
      const list: ListBlock = { kind: 'list', ordered, start, loose: false, items: [] }
      const parent = top?.list.items.at(-1)?.blocks ?? roots
      parent.push(list)
      top = { level, list }
      open.push(top)
    }
    top.list.items.push(item)
  }
  return roots
}

/** What the mark in front of an item of Word's says: `3.`, `1.2`, `b)` or `iv.` number it, all else is a bullet. */
export function readMarker(marker: string): { readonly ordered: boolean; readonly start: number } {
  const match = /^\(?(?:(?:\d{1,4}\.)*(\d{1,8})[.)]?|[a-z]{1,4}[.)])$/i.exec(
    marker.replace(/\s+/g, ''),
  )
  return { ordered: match !== null, start: Number(match?.[1] ?? 1) }
}
