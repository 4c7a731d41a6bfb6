interface Block {
  readonly html: string
}

/**
 * Finds the old blocks that can stay: they have the same HTML, and their order is kept, so that none must move (a frame
 * that moves loads anew). Blocks of the same HTML are told apart only at the start and at the end.
 *
 * @returns for each new block the old one that can stay in its place, or null
 */
export function matchBlocks<Old extends Block>(
  old: readonly Old[],
  fresh: readonly Block[],
): (Old | null)[] {
  const most = Math.min(old.length, fresh.length)
  let head = 0
  while (head < most && old[head]?.html === fresh[head]?.html) head++
  let tail = 0
  while (tail < most - head && old.at(-1 - tail)?.html === fresh.at(-1 - tail)?.html) tail++

  const places = new Map<string, number>()
  for (const [index, { html }] of old.entries()) {
    if (index >= head && index < old.length - tail) places.set(html, places.has(html) ? -1 : index)
  }
  let last = -1
  return fresh.map(({ html }, index) => {
    if (index < head) return old[index] ?? null
    if (index >= fresh.length - tail) return old[index - fresh.length + old.length] ?? null
    const place = places.get(html) ?? -1
    if (place <= last) return null
    last = place
    return old[place] ?? null
  })
}
