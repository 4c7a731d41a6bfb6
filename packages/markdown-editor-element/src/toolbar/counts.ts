import { countText, type TextCount } from '../commands/count-text.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { laterStrings } from '../i18n/later.ts'
import type { AllStrings } from '../i18n/strings.ts'

// So long it is counted in one go, in milliseconds.
const SLICE = 4

// If less than this share of `maxlength` is left, the rest is shown.
const LITTLE = 0.1

const NOTHING: TextCount = { words: 0, characters: 0 }

/**
 * Shows how many words and characters the text and its selection have. This module is loaded when
 * an editor has the focus.
 */
export class Counts {
  readonly #context: EditorContext
  readonly #words: AllStrings
  /**
   * Another one after each change of the text and the selection: what was counted for the last one
   * is of no use.
   */
  #turn = 0
  #text = ''
  #count = NOTHING
  #left = Number.POSITIVE_INFINITY

  constructor(context: EditorContext) {
    this.#context = context
    this.#words = laterStrings(context.strings)
    const turn = (): void => {
      this.#turn++
    }
    context.onChange(turn)
    context.onSelect(turn)
    context.signal.addEventListener('abort', turn)
    context.onPause(() => void this.#update())
    void this.#update()
  }

  async #update(): Promise<void> {
    const turn = ++this.#turn
    const { text, selectionStart, selectionEnd } = this.#context.surface.read()
    const count = await this.#recount(text, turn)
    if (count === null) return
    this.#text = text
    this.#count = count
    const selected = await this.#run(text.slice(selectionStart, selectionEnd), turn)
    if (selected !== null) this.#show(selected, text.length)
  }

  /**
   * Counts only the lines that are not as they were. Null when it was given up for something newer.
   */
  async #recount(text: string, turn: number): Promise<TextCount | null> {
    const old = this.#text
    const start = text.lastIndexOf('\n', commonStart(old, text) - 1) + 1
    const tail = commonEnd(old, text, start)
    const gone = await this.#run(old.slice(start, old.length - tail), turn)
    const fresh = gone && (await this.#run(text.slice(start, text.length - tail), turn))
    if (gone === null || fresh === null) return null
    const { words, characters } = this.#count
    return {
      words: words - gone.words + fresh.words,
      characters: characters - gone.characters + fresh.characters,
    }
  }

  async #run(text: string, turn: number): Promise<TextCount | null> {
    const counting = countText(text)
    let end = performance.now() + SLICE
    for (;;) {
      const step = counting.next()
      if (step.done) return step.value
      if (performance.now() < end) continue
      await idle()
      if (turn !== this.#turn) return null
      end = performance.now() + SLICE
    }
  }

  // There is no room for all at once: a selection's counts take the place of the text's.
  #show(selected: TextCount, length: number): void {
    const { status, textarea } = this.#context
    const words = this.#words
    const isSelected = selected.characters > 0
    const say = (count: TextCount): [string, string] => [
      words.words(count.words),
      words.characters(count.characters),
    ]
    const [all, characters] = say(this.#count)
    status.set('selection', isSelected ? words.selected(say(selected).join(', ')) : '')
    status.set('words', isSelected ? '' : all)
    if (textarea.maxLength >= 0) this.#showLeft(textarea.maxLength - length, textarea.maxLength)
    else status.set('characters', isSelected ? '' : characters)
  }

  /** As browsers count: in UTF-16 code units. */
  #showLeft(left: number, most: number): void {
    const { notice, status } = this.#context
    const little = most * LITTLE
    const text = this.#words.charactersLeft(left)
    status.set('characters', text, left <= little)
    const isNew = [little, 0].some((limit) => left <= limit && this.#left > limit)
    if (isNew) notice.say(text)
    this.#left = left
  }
}

// So much is compared at once.
const STEP = 4096

function commonStart(some: string, other: string): number {
  let length = 0
  for (let step = STEP; step >= 1; ) {
    const part = some.slice(length, length + step)
    if (part.length === step && other.startsWith(part, length)) length += step
    else step >>= 1
  }
  return length
}

/** How long the end is that both have, from the beginning of a line on, and behind a place. */
function commonEnd(some: string, other: string, start: number): number {
  const most = Math.min(some.length, other.length) - start
  let length = 0
  for (let step = STEP; step >= 1; ) {
    const part = some.slice(some.length - length - step, some.length - length)
    if (length + step <= most && other.endsWith(part, other.length - length)) length += step
    else step >>= 1
  }
  const line = other.indexOf('\n', other.length - length)
  return line === -1 ? 0 : other.length - line - 1
}

function idle(): Promise<unknown> {
  // Safari has no idle callbacks.
  return new Promise((resolve) => (globalThis.requestIdleCallback ?? setTimeout)(resolve))
}
