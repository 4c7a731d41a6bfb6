import { countPiece, piecesOf, type TextCount } from '../commands/count-text.ts'
import { editBetween } from '../commands/edit.ts'
import { lineEnd, lineStart } from '../commands/selection.ts'
import { whenIdle } from '../dom/idle.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import type { AllStrings } from '../i18n/strings.ts'

// The maximum time of counting without a break, in milliseconds.
const SLICE = 4

// If no more than this share of `maxlength` is left, the remaining number is shown as a warning.
const LITTLE = 0.1

/** Counts the text and its selection. Loaded when an editor gets the focus. */
export class Counts {
  readonly #context: EditorContext
  readonly #strings: AllStrings
  /** Incremented when the text or the selection changes, which cancels the current count. */
  #version = 0
  /** The last counted text and its counts, so that only changed lines are counted. */
  #known: TextCount & { readonly text: string } = { text: '', words: 0, characters: 0 }
  #left = Number.POSITIVE_INFINITY

  constructor(context: EditorContext) {
    this.#context = context
    this.#strings = lazyStrings(context.strings)
    const outdate = (): void => {
      this.#version++
    }
    context.events.change.add(outdate)
    context.events.select.add(outdate)
    context.signal.addEventListener('abort', outdate)
    context.events.pause.add(() => void this.#update())
    void this.#update()
  }

  async #update(): Promise<void> {
    const version = ++this.#version
    const { text, selectionStart, selectionEnd } = this.#context.surface.read()
    const known = this.#known
    const [before, after] = changedLines(known.text, text)
    const old = await this.#count(before, version)
    const fresh = old && (await this.#count(after, version))
    if (old === null || fresh === null) return
    const words = known.words - old.words + fresh.words
    const characters = known.characters - old.characters + fresh.characters
    this.#known = { text, words, characters }
    const selected = await this.#count(text.slice(selectionStart, selectionEnd), version)
    if (selected !== null) this.#show(this.#known, selected, text.length)
  }

  /** Counts in slices, so that the browser handles events. Returns null if `#version` changes. */
  async #count(text: string, version: number): Promise<TextCount | null> {
    let words = 0
    let characters = 0
    let end = performance.now() + SLICE
    for (const piece of piecesOf(text)) {
      const count = countPiece(piece)
      words += count.words
      characters += count.characters
      if (performance.now() < end) continue
      await new Promise<void>((resolve) => whenIdle(resolve))
      if (version !== this.#version) return null
      end = performance.now() + SLICE
    }
    return { words, characters }
  }

  // The status line is short, so the counts of a selection replace the counts of the text.
  #show(all: TextCount, selected: TextCount, length: number): void {
    const { status, textarea } = this.#context
    const strings = this.#strings
    const isSelected = selected.characters > 0
    const count = isSelected ? selected : all
    const words = strings.wordCount(count.words)
    const characters = strings.characterCount(count.characters)
    status.set('selection', isSelected ? strings.selected(`${words}, ${characters}`) : '')
    status.set('words', isSelected ? '' : words)
    if (textarea.maxLength >= 0) this.#showLeft(textarea.maxLength - length, textarea.maxLength)
    else status.set('characters', isSelected ? '' : characters)
  }

  /** @param left the remaining UTF-16 code units, which `maxlength` counts */
  #showLeft(left: number, most: number): void {
    const { notice, status } = this.#context
    const little = most * LITTLE
    const text = this.#strings.charactersLeft(left)
    status.set('characters', text, left <= little)
    const isNew = [little, 0].some((limit) => left <= limit && this.#left > limit)
    if (isNew) notice.say(text)
    this.#left = left
  }
}

/** Returns the lines of two texts without the equal lines at their start and end. */
function changedLines(before: string, after: string): [before: string, after: string] {
  const selection = { selectionStart: 0, selectionEnd: 0 }
  const edit = editBetween({ text: before, ...selection }, { text: after, ...selection })
  if (edit === null) return ['', '']
  const start = lineStart(after, edit.start)
  const end = lineEnd(before, edit.end) + 1 // A line is counted with its line break.
  return [before.slice(start, end), after.slice(start, end + after.length - before.length)]
}
