import { autolinkEnd, emailAutolinkEnd } from '../grammar/autolinks.ts'
import { type AddressBounds, bareAddressAt } from '../grammar/bare-addresses.ts'
import { type Bracket, Brackets } from '../grammar/brackets.ts'
import { skipWhitespace } from '../grammar/characters.ts'
import { CodeSpans } from '../grammar/code-spans.ts'
import {
  isEscape,
  labelEnd,
  matchDestination,
  normalizeLabel,
  titleEnd,
} from '../grammar/link-parts.ts'
import type { Blocks } from './blocks.ts'
import type { Definition } from './definitions.ts'
import { footnoteReferenceEnd } from './footnotes.ts'
import { scanHtml } from './html-content.ts'
import { RawHtml } from './raw-html.ts'
import type { OnReference } from './reference.ts'

/** What brackets in a text can refer to. */
export type Labels = Pick<Blocks, 'definitions' | 'footnotes'>

/** Hears of each use of a definition. */
export type OnUse = (definition: Definition) => void

/**
 * Finds the references of a text with inline syntax: "Phase 2" of the parsing strategy in the appendix of the CommonMark
 * specification, without emphasis, which has no say in what is a link.
 */
export function scanInlines(
  text: string,
  labels: Labels,
  onReference: OnReference,
  onUse: OnUse,
): void {
  new InlineScanner(text, labels, onReference, onUse).scan()
}

/** Whether something may begin with the character of this code. */
const isSpecial: readonly boolean[] = Array.from({ length: 128 }, (_, code) =>
  '\\`<[]:wW'.includes(String.fromCharCode(code)),
)

class InlineScanner {
  readonly #text: string
  readonly #labels: Labels
  readonly #onReference: OnReference
  readonly #onUse: OnUse
  readonly #brackets = new Brackets()
  readonly #codeSpans: CodeSpans
  readonly #rawHtml: RawHtml
  /** Bare URLs count once it is clear that they are in no link. */
  readonly #bareUrls: AddressBounds[] = []
  /** Where the plain text before the current position begins. */
  #plain = 0

  constructor(text: string, labels: Labels, onReference: OnReference, onUse: OnUse) {
    this.#text = text
    this.#labels = labels
    this.#onReference = onReference
    this.#onUse = onUse
    this.#codeSpans = new CodeSpans(text)
    this.#rawHtml = new RawHtml(text)
  }

  scan(): void {
    const text = this.#text
    let position = 0
    while (position < text.length) {
      if (isSpecial[text.charCodeAt(position)] !== true) {
        position++
        continue
      }
      const after = this.#read(position)
      if (after > position + 1) this.#plain = after
      position = after
    }
    for (const { start, end } of this.#bareUrls) this.#onReference('bare', start, end)
  }

  /** Reads what begins with the special character at `position`. Returns the position after it. */
  #read(position: number): number {
    switch (this.#text[position]) {
      case '\\':
        return isEscape(this.#text, position) ? position + 2 : position + 1
      case '`':
        return this.#codeSpans.end(position)
      case '<':
        return this.#readAngle(position)
      case '[':
        return this.#openBracket(position)
      case ']':
        return this.#closeBracket(position)
      default:
        return this.#readBareUrl(position)
    }
  }

  #readAngle(position: number): number {
    const autolink = autolinkEnd(this.#text, position)
    if (autolink !== -1) {
      this.#onReference('autolink', position + 1, autolink - 1)
      return autolink
    }
    const email = emailAutolinkEnd(this.#text, position)
    if (email !== -1) return email
    const html = this.#rawHtml.end(position)
    if (html === -1) return position + 1
    scanHtml(this.#text.slice(position, html), (kind, start, end) => {
      this.#onReference(kind, position + start, position + end)
    })
    return html
  }

  #readBareUrl(position: number): number {
    const url = bareAddressAt(this.#text, position)
    if (url === null) return position + 1
    this.#bareUrls.push(url)
    return url.end
  }

  #openBracket(position: number): number {
    const isImage = position > this.#plain && this.#text[position - 1] === '!'
    const footnote = isImage
      ? -1
      : footnoteReferenceEnd(this.#text, position, this.#labels.footnotes)
    if (footnote !== -1) return footnote
    this.#brackets.open(position, isImage)
    return position + 1
  }

  #closeBracket(position: number): number {
    const bracket = this.#brackets.close()
    if (bracket === null) return position + 1
    const after =
      this.#readInlineTail(bracket, position + 1) ?? this.#readReference(bracket, position)
    if (after === null) return position + 1
    if (!bracket.isImage) this.#brackets.forbidLinks()
    while ((this.#bareUrls.at(-1)?.start ?? -1) > bracket.position) this.#bareUrls.pop()
    return after
  }

  /** Reads `(destination "title")`. Returns the position after it; null when it is not there. */
  #readInlineTail(bracket: Bracket, from: number): number | null {
    const text = this.#text
    if (text[from] !== '(') return null
    const destination = matchDestination(text, skipWhitespace(text, from + 1))
    if (destination === null) return null
    let after = skipWhitespace(text, destination.after)
    if (after > destination.after && text[after] !== ')') {
      const title = titleEnd(text, after)
      if (title === -1) return null
      after = skipWhitespace(text, title)
    }
    if (text[after] !== ')') return null
    if (destination.end > destination.start) {
      this.#onReference(bracket.isImage ? 'image' : 'link', destination.start, destination.end)
    }
    return after + 1
  }

  /** Reads a full, collapsed or shortcut reference. Returns the position after it; null when nothing defines it. */
  #readReference(bracket: Bracket, closing: number): number | null {
    if (this.#labels.definitions.size === 0) return null
    const text = this.#text
    const from = closing + 1
    const after = text[from] === '[' ? labelEnd(text, from) : -1
    const label = after === -1 ? '' : normalizeLabel(text.slice(from + 1, after - 1))
    if (label !== '') return this.#use(label) ? after : null
    if (bracket.hasInner || !this.#use(normalizeLabel(text.slice(bracket.position + 1, closing))))
      return null
    return after === from + 2 ? after : from
  }

  #use(label: string): boolean {
    const definition = this.#labels.definitions.get(label)
    if (definition !== undefined) this.#onUse(definition)
    return definition !== undefined
  }
}
