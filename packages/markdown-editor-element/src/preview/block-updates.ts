interface Block {
  readonly html: string
}

/**
 * Finds the old block with the same HTML for each new block, or null. Kept blocks stay in order,
 * because a frame that moves loads again.
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

/** Updates text nodes if nothing else differs, because new nodes cost more. Else returns false. */
export function updateWords(old: readonly Node[], fresh: readonly Node[]): boolean {
  const changes: [Text, string][] = []
  if (!compare(old, fresh, changes)) return false
  for (const [text, data] of changes) text.data = data
  return true
}

function compare(old: ArrayLike<Node>, fresh: ArrayLike<Node>, changes: [Text, string][]): boolean {
  if (old.length !== fresh.length) return false
  return Array.from(old).every((node, index) => {
    const other = fresh[index]
    if (other === undefined || node.nodeName !== other.nodeName) return false
    if (node instanceof Text && other instanceof Text) {
      if (node.data !== other.data) changes.push([node, other.data])
      return true
    }
    const isSame =
      node instanceof Element && other instanceof Element && haveSameAttributes(node, other)
    return isSame && compare(node.childNodes, other.childNodes, changes)
  })
}

function haveSameAttributes(node: Element, other: Element): boolean {
  const names = node.getAttributeNames()
  return (
    names.length === other.attributes.length &&
    names.every((name) => node.getAttribute(name) === other.getAttribute(name))
  )
}

// Milliseconds of a slice. The layout that comes after it takes several times as long.
const LENGTH = 6

// In a page that is not shown there are no frames.
const FRAME_TIMEOUT = 100

/** Cuts work into slices of some milliseconds, one per frame, so that the page stays responsive. */
export class Slices {
  readonly #signal: AbortSignal
  #end = performance.now() + LENGTH

  /** @param signal ends the work */
  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Ends a full slice; null while there is time left. Throws the signal's reason. */
  next(): Promise<void> | null {
    return performance.now() < this.#end ? null : this.#start()
  }

  async #start(): Promise<void> {
    await nextFrame()
    this.#signal.throwIfAborted()
    this.#end = performance.now() + LENGTH
  }
}

function nextFrame(): Promise<unknown> {
  return new Promise((resolve) => {
    requestAnimationFrame(resolve)
    setTimeout(resolve, FRAME_TIMEOUT)
  })
}
