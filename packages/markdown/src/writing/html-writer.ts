import { toFrame } from '../embeds/frame.ts'
import { escapeHtml } from '../grammar/escape-html.ts'
import { doesEndParagraph, endedBy, holdsText, isVoidElement } from '../grammar/html-elements.ts'
import type { AttributeList } from '../grammar/scan-html.ts'
import { attributesOf, type Tag } from '../grammar/scan-html.ts'
import type { CompiledElement, CompiledPolicy } from '../policy/compile-policy.ts'
import { cleanAttributes, writeAttributes } from './attributes.ts'
import type { Collector } from './collector.ts'
import { ElementStack, type OpenElement } from './element-stack.ts'

// Enough for any text that a person wrote; deeper, every end tag would have to look far for its start.
const maxOpen = 500

interface WrittenTag {
  /** What the policy says of the element; null when the tag is left out. */
  readonly kept: CompiledElement | null
  /** The tag, with the end tags that must stand before it. */
  readonly html: string
}

/**
 * Writes tags, Markdown's and the author's, as far as the policy lists them: the first of the two layers that keep the
 * output safe. Whatever it is given, what it writes is balanced, each element stands where a browser leaves it, and an
 * end tag of the author's closes neither what Markdown opened around it nor the page. Text is no matter of its: directly in
 * a table it stays there, and a browser shows it before the table.
 */
export class HtmlWriter {
  readonly #policy: CompiledPolicy
  readonly #collector: Collector
  readonly #stack: ElementStack
  readonly #markdowns: OpenElement[] = []
  #ids: string[] = []

  /** @param collector - hears of what is written and what is not */
  constructor(policy: CompiledPolicy, collector: Collector) {
    this.#policy = policy
    this.#collector = collector
    this.#stack = new ElementStack(policy.maxDepth)
  }

  /** Whether nothing is open. */
  get isClosed(): boolean {
    return this.#stack.depth === 0
  }

  /** Whether the innermost of Markdown's elements has ended already: the author's tags in it can end it early. */
  get hasEnded(): boolean {
    const element = this.#markdowns.at(-1)
    return element !== undefined && !this.#stack.has(element)
  }

  /** Gives the ids of the elements that were written since the last call. */
  takeIds(): readonly string[] {
    const ids = this.#ids
    this.#ids = []
    return ids
  }

  /** Whether so many elements of a name can stand here inside each other. */
  hasRoomFor(name: string, count: number): boolean {
    const element = this.#policy.elements.get(name)
    return element !== undefined && this.#stack.objection(element, count) === null
  }

  /** Ends an open paragraph, as a browser does where a block begins. */
  endParagraph(): string {
    return this.#stack.closeParagraph()
  }

  /** Opens an element of Markdown's that has an end tag. */
  open(name: string, attributes: AttributeList | null = null): string {
    const { kept, html } = this.#tag(name, attributes)
    this.#markdowns.push(this.#stack.push(name, kept, false))
    return html
  }

  /** Begins a part that ends like an element of Markdown's, with all that is opened in it. */
  begin(): void {
    this.#markdowns.push(this.#stack.push('', null, false))
  }

  /** Closes the innermost of Markdown's elements, with what the author left open in it. */
  close(): string {
    const element = this.#markdowns.pop()
    return element === undefined ? '' : this.#stack.close(element)
  }

  /** Writes an element of Markdown's that has no content. */
  empty(name: string, attributes: AttributeList | null = null): string {
    const { kept, html } = this.#tag(name, attributes)
    return kept === null || kept.isVoid ? html : `${html}</${name}>`
  }

  /** Writes a tag of the author's; '' when it can't stand. */
  authorTag(tag: Tag): string {
    const { name, isEnd } = tag
    if (holdsText(name)) return isEnd ? '' : this.#textHolder(tag)
    if (isVoidElement(name)) return isEnd ? '' : this.#tag(name, attributesOf(tag)).html
    return isEnd ? this.#authorEnd(name) : this.#authorStart(tag)
  }

  /** Closes all that is open. */
  closeAll(): string {
    this.#markdowns.length = 0
    return this.#stack.closeAll()
  }

  #authorStart(tag: Tag): string {
    const { name } = tag
    const endTags = this.#endBefore(name)
    if (this.#stack.depth >= maxOpen) {
      this.#collector.remove('element', name, 'too many elements inside each other')
      return endTags
    }
    const { kept, html } = this.#tag(name, attributesOf(tag))
    this.#stack.push(name, kept, true)
    return endTags + html
  }

  // End tags that people leave out.
  #endBefore(name: string): string {
    const ended = endedBy(name)
    let endTags = ''
    for (
      let open = this.#stack.innermost;
      open?.isAuthors && ended?.includes(open.name);
      open = this.#stack.innermost
    ) {
      endTags += this.#stack.close(open)
    }
    return endTags
  }

  #authorEnd(name: string): string {
    const element = this.#stack.findAuthors(name)
    if (element === undefined)
      this.#collector.remove('element', name, 'an end tag without its start')
    return element === undefined ? '' : this.#stack.close(element)
  }

  // Elements whose content a browser does not read as HTML: only a frame of a listed host stays.
  #textHolder(tag: Tag): string {
    if (tag.name !== 'iframe') {
      this.#collector.remove('element', tag.name, notListed)
      return ''
    }
    const attributes = attributesOf(tag).map(([name, value]) => [name, String(value)] as const)
    const frame = toFrame(Object.fromEntries(attributes.toReversed()), this.#policy)
    if (frame.kind === 'frame') return this.empty('iframe', Object.entries(frame.attributes))
    this.#collector.remove(
      'element',
      'iframe',
      'its address is not of a host whose pages may be framed',
    )
    if (frame.kind === 'nothing') return ''
    return this.open('a', [['href', frame.href]]) + escapeHtml(frame.href) + this.close()
  }

  #tag(name: string, attributes: AttributeList | null): WrittenTag {
    const before = doesEndParagraph(name) ? this.#stack.closeParagraph() : ''
    const element = this.#policy.elements.get(name)
    const objection = element === undefined ? notListed : this.#stack.objection(element)
    if (element === undefined || objection !== null)
      return this.#refuse(name, objection ?? notListed, before)
    if (attributes === null && element.requires.length === 0)
      return { kept: element, html: `${before}<${name}>` }
    const clean = this.#clean(element, attributes ?? [])
    if (!hasRequired(element, clean)) return this.#refuse(name, needs(element), before)
    const changes = this.#collector.collectMedia(element, clean)
    const final =
      changes === null ? clean : this.#clean(element, [...new Map([...clean, ...changes])])
    if (final !== clean && !hasRequired(element, final))
      return this.#refuse(name, needs(element), before)
    const id = final.get('id')
    if (id !== undefined) this.#ids.push(id)
    return { kept: element, html: `${before}<${name}${writeAttributes(element, final)}>` }
  }

  #clean(element: CompiledElement, attributes: AttributeList): Map<string, string> {
    return cleanAttributes(element, attributes, this.#policy, (attribute, value, rule) => {
      this.#collector.removeAttribute(element.name, attribute, value, rule)
    })
  }

  #refuse(name: string, reason: string, before: string): WrittenTag {
    this.#collector.remove('element', name, reason)
    return { kept: null, html: before }
  }
}

const notListed = 'the policy does not list it'

function hasRequired(
  { requires }: CompiledElement,
  attributes: ReadonlyMap<string, string>,
): boolean {
  return requires.every((attribute) => attributes.has(attribute))
}

function needs({ requires }: CompiledElement): string {
  return `it needs the attributes ${requires.join(', ')}`
}
