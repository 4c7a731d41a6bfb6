import type { ElementRule, RenderPolicy } from './policy/policy.ts'

// A tag exactly as the sanitizer writes it: escaped values in double quotes, or no value.
const tag = /<(\/?)([a-z][a-z0-9]*)((?: [a-z][a-z-]*(?:="[^"<>]*")?)*)(?: \/)?>/y

/**
 * Puts the elements of sanitized HTML into places where a browser leaves them: misplaced ones (a table row without its
 * table, a link in a link) lose their tags, every other one is closed where its parent ends. Without this, a browser
 * would close elements of the page around the text to make room.
 *
 * It reads nothing but the sanitizer's own way of writing, so whatever looks like a tag and is not of that shape, or
 * not in the policy, becomes text: a second opinion that does not trust the first.
 *
 * @param html - what the sanitizer wrote
 */
export function nestElements(html: string, policy: RenderPolicy): string {
  const nest = new Nest(policy)
  let output = ''
  let position = 0
  for (let start = html.indexOf('<'); start !== -1; start = html.indexOf('<', position)) {
    output += html.slice(position, start)
    tag.lastIndex = start
    const match = tag.exec(html)
    if (match === null) {
      output += '&lt;'
      position = start + 1
    } else {
      const [whole, slash, name = '', attributes = ''] = match
      output += slash === '/' ? nest.close(name) : nest.open(name, attributes)
      position = start + whole.length
    }
  }
  return output + html.slice(position) + nest.closeAll()
}

interface OpenElement {
  readonly name: string
  /** False when its tags were dropped; its end tag is then dropped too. */
  readonly isKept: boolean
}

class Nest {
  readonly #policy: RenderPolicy
  readonly #stack: OpenElement[] = []
  readonly #kept: string[] = []
  readonly #counts = new Map<string, number>()

  constructor(policy: RenderPolicy) {
    this.#policy = policy
  }

  open(name: string, attributes: string): string {
    const rule = this.#rule(name)
    const isKept = rule !== undefined && this.#fits(name, rule) && hasRequired(rule, attributes)
    if (rule?.void !== true) this.#push({ name, isKept })
    return isKept ? `<${name}${attributes}>` : ''
  }

  close(name: string): string {
    if (this.#rule(name)?.void === true || !this.#stack.some((open) => open.name === name)) return ''
    let output = ''
    for (let open = this.#stack.pop(); open !== undefined; open = this.#stack.pop()) {
      output += this.#end(open)
      if (open.name === name) break
    }
    return output
  }

  closeAll(): string {
    let output = ''
    for (let open = this.#stack.pop(); open !== undefined; open = this.#stack.pop()) output += this.#end(open)
    return output
  }

  #push(open: OpenElement): void {
    this.#stack.push(open)
    if (!open.isKept) return
    this.#kept.push(open.name)
    this.#count(open.name, 1)
  }

  #end({ name, isKept }: OpenElement): string {
    if (!isKept) return ''
    this.#kept.pop()
    this.#count(name, -1)
    return `</${name}>`
  }

  #count(name: string, change: 1 | -1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + change)
  }

  #rule(name: string): ElementRule | undefined {
    return Object.hasOwn(this.#policy.elements, name) ? this.#policy.elements[name] : undefined
  }

  #fits(name: string, { parents, notInside }: ElementRule): boolean {
    const parent = this.#kept.at(-1)
    if (this.#kept.length >= this.#policy.maxDepth) return false
    if (parents !== undefined && (parent === undefined || !parents.includes(parent))) return false
    if (notInside?.some((ancestor) => (this.#counts.get(ancestor) ?? 0) > 0)) return false
    const children = parent === undefined ? undefined : this.#rule(parent)?.children
    return children === undefined || children.includes(name)
  }
}

function hasRequired({ requires }: ElementRule, attributes: string): boolean {
  if (requires === undefined) return true
  const names = attributes.replace(/="[^"]*"/g, '').split(' ')
  return requires.every((name) => names.includes(name))
}
