import { QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import type { ElementRule, RenderPolicy } from '../policy/policy.ts'
import { frameChecks, toValueCheck, type ValueCheck } from './value-rules.ts'

const entities: ReadonlySet<number> = new Set(
  Array.from('&<>"', (character) => character.charCodeAt(0)),
)

/** A problem in HTML. The HTML after its position must not be trusted. */
export interface Finding {
  readonly position: number
  readonly reason: string
  /** The open elements at this position, outermost first. */
  readonly open: readonly string[]
}

interface VerifiedElement {
  readonly rule: ElementRule
  readonly checks: ReadonlyMap<string, ValueCheck | null>
}

/**
 * The second of the two layers that keep the output safe. Checks that HTML is balanced and contains
 * only tags and attributes that the policy allows. Does not use code of the first layer,
 * `HtmlWriter`. The tokenizer works like the tokenizer of a browser.
 */
export class Verifier {
  readonly #elements: ReadonlyMap<string, VerifiedElement>
  readonly #maxDepth: number
  readonly #tokenizer: Tokenizer
  #html = ''
  #finding: Finding | null = null
  #open: string[] = []
  #reached = 0
  #isInTag = false
  #tagStart = 0
  #name = ''
  #element: VerifiedElement | undefined
  #attributes: string[] = []
  #check: ValueCheck | null = null
  #value = ''

  constructor(policy: RenderPolicy) {
    this.#elements = new Map(
      Object.entries(policy.elements).map(([name, rule]) => {
        const attributes = Object.entries({ ...policy.globalAttributes, ...rule.attributes })
        const checks = attributes.map(
          ([attribute, value]) => [attribute, toValueCheck(value, policy)] as const,
        )
        const frame = name === 'iframe' ? frameChecks(policy) : []
        return [name, { rule, checks: new Map([...checks, ...frame]) }]
      }),
    )
    this.#maxDepth = policy.maxDepth
    this.#tokenizer = new Tokenizer({ decodeEntities: true }, this.#callbacks())
  }

  verify(html: string): Finding | null {
    this.#html = html
    this.#finding = null
    this.#open = []
    this.#reached = 0
    this.#isInTag = false
    this.#tokenizer.reset()
    this.#tokenizer.write(html)
    this.#tokenizer.end()
    this.#continueAt(html.length)
    if (this.#open.length > 0) this.#report(html.length, `<${this.#open.at(-1)}> is not closed`)
    return this.#finding
  }

  #callbacks(): TokenizerCallbacks {
    const reject = (what: string) => (start: number) =>
      this.#report(this.#html.lastIndexOf('<', start - 1), what)
    return {
      onopentagname: (start, end) => this.#openTag(start, end),
      onattribname: (start, end) => this.#attribute(this.#html.slice(start, end)),
      onattribdata: (start, end) => {
        if (this.#check !== null) this.#value += this.#html.slice(start, end)
      },
      onattribentity: (codePoint) => {
        this.#entity(codePoint, this.#tagStart)
        if (this.#check !== null) this.#value += String.fromCodePoint(codePoint)
      },
      onattribend: (quote) => this.#attributeEnd(quote),
      onopentagend: (end) => this.#openTagEnd(end),
      onselfclosingtag: () => this.#report(this.#tagStart, 'a tag that closes itself'),
      onclosetag: (start, end) => this.#closeTag(start, end),
      ontext: (start, end) => {
        if (this.#isInTag) this.#report(this.#tagStart, 'a tag without its end')
        this.#continueAt(start)
        if (this.#html.charCodeAt(start) === 0x3c) this.#report(start, 'a "<" without a tag')
        this.#reached = end
      },
      ontextentity: (codePoint, end) => {
        this.#entity(codePoint, this.#reached)
        this.#reached = end
      },
      oncomment: reject('a comment'),
      oncdata: reject('a CDATA section'),
      ondeclaration: reject('a declaration'),
      onprocessinginstruction: reject('a processing instruction'),
      onend: () => {},
    }
  }

  // Reports HTML that the tokenizer skipped, such as the start of an incomplete tag. For example,
  // the tokenizer reports a final `<script` as the text `script`.
  #continueAt(position: number): void {
    if (position > this.#reached) this.#report(this.#reached, 'a tag without its end')
  }

  #openTag(start: number, end: number): void {
    this.#tagStart = start - 1
    this.#continueAt(this.#tagStart)
    this.#isInTag = true
    this.#name = this.#html.slice(start, end)
    this.#element = this.#elements.get(this.#name)
    this.#attributes = []
    if (this.#element === undefined) this.#report(this.#tagStart, `<${this.#name}> is not allowed`)
  }

  #attribute(name: string): void {
    const check = this.#element?.checks.get(name)
    if (check === undefined || this.#attributes.includes(name))
      this.#report(this.#tagStart, `${this.#name}[${name}] is not allowed, or appears twice`)
    this.#attributes.push(name)
    this.#check = check ?? null
    this.#value = ''
  }

  // `HtmlWriter` writes only the four character references in `entities`.
  #entity(codePoint: number, position: number): void {
    if (!entities.has(codePoint)) this.#report(position, `the character reference of ${codePoint}`)
  }

  #attributeEnd(quote: QuoteType): void {
    const isWellWritten = quote === QuoteType.Double || quote === QuoteType.NoValue
    if (isWellWritten && (this.#check === null || this.#check(this.#value))) return
    const attribute = `${this.#name}[${this.#attributes.at(-1)}]`
    this.#report(this.#tagStart, `${attribute} has a value that is not allowed`)
  }

  #openTagEnd(end: number): void {
    this.#reached = end + 1
    this.#isInTag = false
    if (this.#element === undefined) return
    const { requires = [], parents, notInside = [], void: isVoid } = this.#element.rule
    const parent = this.#open.at(-1)
    const siblings = this.#elements.get(parent ?? '')?.rule.children
    const missing = requires.find((attribute) => !this.#attributes.includes(attribute))
    const isMisplaced =
      parents?.includes(parent ?? '') === false ||
      siblings?.includes(this.#name) === false ||
      notInside.some((ancestor) => this.#open.includes(ancestor)) ||
      this.#open.length >= this.#maxDepth
    if (missing !== undefined) this.#report(this.#tagStart, `<${this.#name}> has no ${missing}`)
    if (isMisplaced) this.#report(this.#tagStart, `<${this.#name}> is not allowed here`)
    if (isVoid !== true && this.#finding === null) this.#open.push(this.#name)
  }

  #closeTag(start: number, end: number): void {
    const name = this.#html.slice(start, end)
    this.#continueAt(start - 2)
    this.#reached = end + 1
    const isInOrder = this.#open.at(-1) === name && this.#html[end] === '>'
    if (!isInOrder) this.#report(start - 2, `</${name}> closes nothing`)
    else if (this.#finding === null) this.#open.pop()
  }

  // Keeps only the first problem. After it, browsers may parse the HTML differently.
  #report(position: number, reason: string): void {
    this.#finding ??= { position, reason, open: [...this.#open] }
  }
}
