import { applyEdit, editBetween, replacing } from '../../commands/edit.ts'
import { isPlainKey } from '../../dom/key-press.ts'
import { loadStyles } from '../../dom/load-styles.ts'
import { rectInTextarea } from '../../dom/textarea-geometry.ts'
import type { EditorContext } from '../../editor/editor-context.ts'
import { lazyStrings } from '../../i18n/en-lazy.ts'
import { findWord, isVerbatim, type TypedWord } from './find-word.ts'
import { CompletionList } from './list.ts'
import type { CompletionItem, CompletionProvider } from './provider.ts'

const MOST = 50

/** Offers completions while the user types. */
export class Completion {
  readonly #context: EditorContext
  readonly #providers: () => readonly CompletionProvider[]
  readonly #list: CompletionList
  #word: TypedWord | null = null
  #items: readonly CompletionItem[] = []
  #search: AbortController | null = null
  #composing = false
  // True if a trigger was typed. Moving the caret to a word does not open the list.
  #typed = false

  constructor(context: EditorContext, providers: () => readonly CompletionProvider[]) {
    this.#context = context
    this.#providers = providers
    this.#list = new CompletionList(lazyStrings(context.strings).suggestions, (index) =>
      this.#take(index),
    )
    context.host.append(this.#list.element)
    void loadStyles(context.host, 'completion')
    this.#listen()
  }

  #listen(): void {
    const { host, signal } = this.#context
    const options = { signal, capture: true }
    host.addEventListener('keydown', (event) => this.#onKey(event), options)
    host.addEventListener('beforeinput', (event) => this.#onTyped(event.data ?? ''), options)
    host.addEventListener('compositionstart', () => this.#compose(true), options)
    const endComposition = ({ data }: CompositionEvent): void => {
      this.#onTyped(data)
      this.#compose(false)
    }
    host.addEventListener('compositionend', endComposition, options)
    host.addEventListener('focusout', () => this.#close(), options)
    document.addEventListener('scroll', () => this.#place(), { ...options, passive: true })
    window.addEventListener('resize', () => this.#place(), { signal })
    const closeOutside = ({ target }: Event): void => {
      if (!this.#list.element.contains(target as Node)) this.#close()
    }
    document.addEventListener('pointerdown', closeOutside, options)
    this.#context.events.change.add(() => this.#update())
    this.#context.events.select.add(() => {
      if (this.#word !== null) this.#update()
    })
    // The user may have typed a trigger before this code was loaded.
    this.#typed = true
    this.#update()
    signal.addEventListener('abort', () => {
      this.#close()
      this.#list.element.remove()
    })
  }

  #onTyped(data: string): void {
    this.#typed ||= this.#providers().some(({ trigger }) => data.includes(trigger.slice(-1)))
  }

  #compose(composing: boolean): void {
    this.#composing = composing
    if (composing) this.#hide()
    else this.#update()
  }

  #update(): void {
    if (this.#composing || (this.#word === null && !this.#typed)) return
    this.#typed = false
    const { surface } = this.#context
    const state = surface.read()
    const word = surface.focused && surface.editable ? findWord(state, this.#providers()) : null
    const before = this.#word
    if (word === null || (before?.start !== word.start && isVerbatim(state.text, word.start))) {
      this.#close()
      return
    }
    this.#word = word
    if (
      before?.start === word.start &&
      before.query === word.query &&
      before.provider === word.provider
    )
      return
    void this.#find(word)
  }

  async #find(word: TypedWord): Promise<void> {
    this.#search?.abort()
    const search = new AbortController()
    this.#search = search
    try {
      const { provider, query } = word
      const enough = query.length >= (provider.minLength ?? 0)
      const found = enough ? provider.search(query, search.signal) : []
      const items = found instanceof Promise ? await found : found
      if (!search.signal.aborted && !this.#composing) this.#show(items.slice(0, MOST))
    } catch (error) {
      if (search.signal.aborted) return
      this.#hide()
      reportError(error)
    }
  }

  #show(items: readonly CompletionItem[]): void {
    const { notice, strings, surface } = this.#context
    if (items.length === 0) {
      this.#hide()
      return
    }
    const changed = !this.#list.isOpen || items.length !== this.#items.length
    this.#items = items
    this.#list.show(items)
    this.#place()
    const { target } = surface
    target.setAttribute('aria-autocomplete', 'list')
    target.setAttribute('aria-controls', this.#list.element.id)
    target.setAttribute('aria-haspopup', 'listbox')
    target.setAttribute('aria-activedescendant', this.#list.activeId)
    if (changed) notice.say(lazyStrings(strings).suggestionCount(items.length))
  }

  #place(): void {
    const { host, surface, textarea } = this.#context
    if (!this.#list.isOpen || this.#word === null) return
    const { start } = this.#word
    const rect = surface.rectAt ? surface.rectAt(start) : rectInTextarea(textarea, start)
    this.#list.place(rect ?? surface.element.getBoundingClientRect(), host)
  }

  #onKey(event: KeyboardEvent): void {
    const { key, shiftKey } = event
    const list = this.#list
    if (!list.isOpen || shiftKey || !isPlainKey(event)) return
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      list.move(list.active + (key === 'ArrowDown' ? 1 : -1))
      this.#context.surface.target.setAttribute('aria-activedescendant', list.activeId)
    } else if (key === 'Enter' || key === 'Tab') this.#take(list.active)
    else if (key === 'Escape') this.#close()
    else return
    // Other listeners must not handle this key.
    event.preventDefault()
    event.stopPropagation()
  }

  #take(index: number): void {
    const word = this.#word
    const item = this.#items[index]
    this.#close()
    if (word === null || item === undefined) return
    const { provider, start, end } = word
    const insert = provider.insert?.(item) ?? `${provider.trigger}${item.label} `
    const state = this.#context.surface.read()
    // Replaces only the characters that differ, because an undo selects all replaced characters.
    const edit = editBetween(state, applyEdit(state, replacing({ start, end }, insert)))
    if (edit !== null) this.#context.edit(edit, true)
  }

  #close(): void {
    this.#word = null
    this.#typed = false
    this.#hide()
  }

  #hide(): void {
    this.#search?.abort()
    this.#list.hide()
    const { target } = this.#context.surface
    for (const name of ['autocomplete', 'controls', 'haspopup', 'activedescendant'])
      target.removeAttribute(`aria-${name}`)
  }
}
