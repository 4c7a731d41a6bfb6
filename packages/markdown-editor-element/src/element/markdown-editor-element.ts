import type { TextCommandName } from '../commands/commands.ts'
import type { EditorAttribute, EditorOptions } from '../contract/attributes.ts'
import type { ToolbarButton } from '../contract/toolbar.ts'
import type { CompletionProvider } from '../dialogs/completion/provider.ts'
import { PART } from '../dom/elements.ts'
import { loadDrafts, watchPageLater } from '../drafts/load-drafts.ts'
import { Base } from '../editor/element-events.ts'
import { LOCALES, type Locale } from '../i18n/strings.ts'
import { EditorLife } from './editor-life.ts'

type Reaction = 'restart' | 'height' | 'surface' | 'mode' | 'toolbar'

/** The reactions to changed attributes. Other attributes are read when they are needed. */
const REACTIONS: Readonly<Record<string, Reaction>> = {
  toolbar: 'toolbar',
  'upload-url': 'toolbar',
  height: 'height',
  mode: 'mode',
  surface: 'surface',
  locale: 'restart',
  draft: 'restart',
  'draft-user': 'restart',
  'draft-max-age': 'restart',
  'draft-fields': 'restart',
  defer: 'restart',
} satisfies Partial<Record<EditorAttribute | 'defer', Reaction>>

/**
 * `<markdown-editor>` turns the `<textarea>` inside it into a Markdown editor. The textarea stays
 * the field of the form and contains the text. The attributes are the {@link EditorOptions}, in
 * kebab case; lists are separated by spaces, and `render-options` is JSON. While `defer` is set, no
 * editor is built: frameworks set it until they have hydrated the page.
 *
 * When `locale`, `defer` or an attribute of drafts changes, the editor restarts. The attributes of
 * the preview are read when it is first shown. The other attributes can change at any time.
 *
 * Before each request, the element sends a cancelable `request` event. Listeners can add headers.
 * Its other events are those of {@link MarkdownEditorElementEventMap}.
 *
 * @example
 * MarkdownEditorElement.define()
 * // <markdown-editor upload-url="/md-editor/upload"><textarea name="body"></textarea></markdown-editor>
 */
export class MarkdownEditorElement extends Base {
  static readonly observedAttributes: readonly string[] = Object.keys(REACTIONS)

  /**
   * Translations by language tag in lower case. Add them before elements enter the page.
   *
   * @example
   * MarkdownEditorElement.locales.set('nl', { write: 'Schrijven' })
   */
  static readonly locales: Map<string, Locale> = LOCALES

  #completions: readonly CompletionProvider[] = []
  readonly #life = new EditorLife(this, ({ completions }) => completions.use(this.#completions))

  /**
   * Defines the element and returns its class. If the name is already defined, returns the existing
   * class.
   *
   * @param tag the name of the element
   * @param registry the registry that the element is defined in
   */
  static define(
    tag: string = 'markdown-editor',
    registry: CustomElementRegistry = customElements,
  ): CustomElementConstructor {
    const defined = registry.get(tag)
    if (defined !== undefined) return defined
    registry.define(tag, MarkdownEditorElement)
    watchPageLater()
    return MarkdownEditorElement
  }

  /** Removes all drafts in this browser. Call this method when a user signs out. */
  static async clearDrafts(): Promise<void> {
    await (await loadDrafts()).clearDrafts()
  }

  /** The textarea inside the element, or null. */
  get textarea(): HTMLTextAreaElement | null {
    return this.querySelector(`textarea:not([${PART}] *)`)
  }

  /** True from the `ready` event until the element leaves the page or the editor restarts. */
  get ready(): boolean {
    return this.#life.ready
  }

  /**
   * The current text. While CodeMirror shows a long text, the value of the textarea can be older.
   * Setting the text sends no event. If CodeMirror is not used, setting the text also clears the
   * undo history.
   */
  get value(): string {
    return this.#life.editor?.surface.read().text ?? this.textarea?.value ?? ''
  }

  set value(text: string) {
    const { textarea } = this
    if (textarea === null) return
    textarea.value = text
    this.#life.editor?.surface.takeOver()
  }

  /**
   * The providers of completions while the user types; none by default.
   *
   * @example
   * editor.completions = [{ trigger: '@', search: (query) => people.filter(({ label }) => label.startsWith(query)) }]
   */
  get completions(): readonly CompletionProvider[] {
    return this.#completions
  }

  set completions(providers: readonly CompletionProvider[]) {
    this.#completions = providers
    this.#life.editor?.completions.use(providers)
  }

  /**
   * Runs a command on the current selection, without a dialog: `link` inserts `[text](url)` and
   * `table` inserts a small table. `image`, `video` and `document` open the file chooser. Resolves
   * when the command is done, which may include loading its script.
   *
   * @throws TypeError for an unknown name; its message lists the known names
   */
  async run(name: ToolbarButton | TextCommandName): Promise<void> {
    const editor = this.#life.editor ?? (await this.#life.whenStarted())
    await editor?.run(name)
  }

  /**
   * Uploads files and inserts them below the block at the caret, or above it if the caret is at its
   * start. Does nothing without `upload-url`. Does not wait for the uploads; `finalize` waits for
   * them.
   */
  async addFiles(files: readonly File[]): Promise<void> {
    const editor = this.#life.editor ?? (await this.#life.whenStarted())
    editor?.add(files)
  }

  /**
   * Prepares the text for saving, as a submit does: waits for uploads, makes temporary files
   * permanent and writes their permanent URLs into the text.
   *
   * @returns false after a failure, which the editor shows, or if the user cancels; also false
   * without a textarea or while the element is not in a page
   * @example
   * if (await element.finalize()) await save(element.value)
   */
  async finalize(): Promise<boolean> {
    const editor = this.#life.editor ?? (await this.#life.whenStarted())
    return (await editor?.finalize()) ?? false
  }

  /** Removes the draft of this element. Call this method after a script has saved the text. */
  async clearDraft(): Promise<void> {
    const text = this.value
    await (await loadDrafts()).clearDraft(this, text)
  }

  connectedCallback(): void {
    // Sets properties again that were set before the definition and hide accessors of the class.
    for (const name of ['value', 'completions']) {
      const property = Object.getOwnPropertyDescriptor(this, name)
      if (property !== undefined && Reflect.deleteProperty(this, name))
        Reflect.set(this, name, property.value)
    }
    this.#life.start()
  }

  disconnectedCallback(): void {
    this.#life.end()
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after) return
    const reaction = REACTIONS[name]
    if (reaction === 'restart') this.#life.startSoon()
    else if (reaction !== undefined) this.#life.editor?.applyAttribute(reaction)
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'markdown-editor': MarkdownEditorElement
  }
}
