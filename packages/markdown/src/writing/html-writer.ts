import { toFrame } from '../embeds/frame.ts'
import { escapeHtml } from '../grammar/escape-html.ts'
import { endedBy, paragraphEnders, textHolders, voidElements } from '../grammar/html-elements.ts'
import { type AttributeList, attributesOf, type Tag } from '../grammar/scan-html.ts'
import type { CompiledPolicy } from '../policy/compile-policy.ts'
import { cleanAttributes, writeAttributes } from './attributes.ts'
import type { Collector } from './collector.ts'
import { ElementStack, type OpenElement } from './element-stack.ts'

// The maximum number of open elements, so that the search for the start tag of an end tag is fast.
const maxOpen = 500

/**
 * The first of the two layers that keep the output safe. Writes only tags that the policy allows.
 * The output is balanced. Browsers do not move its elements, but they move text that is directly in
 * a table. End tags of the author do not close elements of the page around the output.
 */
export class HtmlWriter {
  readonly #policy: CompiledPolicy
  readonly #collector: Collector
  readonly #stack: ElementStack
  readonly #markdowns: OpenElement[] = []

  constructor(policy: CompiledPolicy, collector: Collector) {
    this.#policy = policy
    this.#collector = collector
    this.#stack = new ElementStack(policy.maxDepth)
  }

  get isClosed(): boolean {
    return this.#stack.depth === 0
  }

  /** True if HTML of the author has closed the innermost element of Markdown. */
  get hasEnded(): boolean {
    const element = this.#markdowns.at(-1)
    return element !== undefined && !this.#stack.has(element)
  }

  hasRoomFor(name: string, count: number): boolean {
    const element = this.#policy.elements.get(name)
    return element !== undefined && this.#stack.allows(element, count)
  }

  endParagraph(): string {
    return this.#stack.closeParagraph()
  }

  /** Opens an element of Markdown that has an end tag. */
  open(name: string, attributes: AttributeList | null = null): string {
    const { kept, html } = this.#tag(name, attributes)
    this.#markdowns.push(this.#stack.push(name, kept, false))
    return html
  }

  /** Closes the innermost element of Markdown, and all open elements inside it. */
  close(): string {
    return this.#stack.close(this.#markdowns.pop())
  }

  /** Writes an element of Markdown that has no content. */
  empty(name: string, attributes: AttributeList | null = null): string {
    const { kept, html } = this.#tag(name, attributes)
    return kept === null || kept.isVoid ? html : `${html}</${name}>`
  }

  /** Writes a tag of the author. For a forbidden tag, writes only the end tags that it implies. */
  authorTag(tag: Tag): string {
    const { name, isEnd } = tag
    if (textHolders.has(name)) return isEnd ? '' : this.#textHolder(tag)
    if (voidElements.has(name)) return isEnd ? '' : this.#tag(name, attributesOf(tag)).html
    return isEnd ? this.#stack.close(this.#stack.findAuthors(name)) : this.#authorStart(tag)
  }

  closeAll(): string {
    this.#markdowns.length = 0
    return this.#stack.close({ serial: 0 })
  }

  #authorStart(tag: Tag): string {
    const { name } = tag
    // Adds the end tags that the author omitted.
    let html = ''
    const ended = endedBy.get(name)
    let open = this.#stack.innermost
    while (open?.isAuthors && ended?.includes(open.name)) {
      html += this.#stack.close(open)
      open = this.#stack.innermost
    }
    if (this.#stack.depth >= maxOpen) return html
    const written = this.#tag(name, attributesOf(tag))
    this.#stack.push(name, written.kept, true)
    return html + written.html
  }

  // Drops the element. For an `<iframe>`, writes a safe replacement if there is one.
  #textHolder(tag: Tag): string {
    if (tag.name !== 'iframe') return ''
    const frame = toFrame(Object.fromEntries(attributesOf(tag).toReversed()), this.#policy)
    if (frame.kind === 'frame') return this.empty('iframe', Object.entries(frame.attributes))
    if (frame.kind === 'nothing') return ''
    return this.open('a', [['href', frame.href]]) + escapeHtml(frame.href) + this.close()
  }

  // Returns the tag, after the end tags that must precede it. If the tag is dropped, `kept` is
  // null.
  #tag(name: string, attributes: AttributeList | null) {
    const before = paragraphEnders.has(name) ? this.#stack.closeParagraph() : ''
    const element = this.#policy.elements.get(name)
    if (element === undefined || !this.#stack.allows(element)) return { kept: null, html: before }
    const { requires } = element
    if (attributes === null && requires.length === 0)
      return { kept: element, html: `${before}<${name}>` }
    const lacks = (given: ReadonlyMap<string, string>) => requires.some((each) => !given.has(each))
    let clean = cleanAttributes(element, attributes ?? [], this.#policy)
    // Does not call `onMedium` for an element that is dropped.
    const changes = lacks(clean) ? null : this.#collector.collectMedia(element, clean)
    if (changes !== null)
      clean = cleanAttributes(element, [...new Map([...clean, ...changes])], this.#policy)
    if (lacks(clean)) return { kept: null, html: before }
    return { kept: element, html: `${before}<${name}${writeAttributes(element, clean)}>` }
  }
}
