import type { TextCommandName } from '../commands/commands.ts'
import type { Edit } from '../commands/edit.ts'
import { MODES, toCssLength } from '../contract/attributes.ts'
import { acceptedTypes, type FileKind, isFileKind } from '../contract/file-types.ts'
import { TOGGLE_BUTTONS, type ToolbarButton } from '../contract/toolbar.ts'
import { Completions } from '../dialogs/completion/load-completion.ts'
import { isDialog, openDialogByName } from '../dialogs/open-dialog.ts'
import { activeElementOf, createButton, createElement, formMember, PART } from '../dom/elements.ts'
import { hasTouchScreen } from '../dom/key-press.ts'
import { EditorEvents } from '../editor/editor-context.ts'
import { Notice, StatusLine } from '../editor/notice.ts'
import type { Surface } from '../editor/surface.ts'
import type { EditorStrings } from '../i18n/strings.ts'
import { listenForPaste } from '../paste/listen-for-paste.ts'
import { Modes } from '../preview/modes.ts'
import { SurfaceSwitch } from '../surface/surface-switch.ts'
import { Writing } from '../toolbar/load-writing.ts'
import { type ShortcutName, shortcutOf } from '../toolbar/shortcuts.ts'
import { createFullscreenButton, createHelpButton, placeName, Toolbar } from '../toolbar/toolbar.ts'
import { listenForFiles, openChooser, withPlainName } from '../uploads/file-input.ts'
import { guardForm, prepare } from '../uploads/form-guard.ts'
import type { Placement } from '../uploads/upload.ts'
import { prefetchPreparation, type UploadingEditor, Uploads } from '../uploads/uploads.ts'

let count = 0

/** The editor that an element builds around its textarea while the element is in a page. */
export class Editor implements UploadingEditor {
  readonly host: HTMLElement
  readonly textarea: HTMLTextAreaElement
  readonly strings: EditorStrings
  readonly events: EditorEvents
  readonly notice: Notice
  readonly status: StatusLine = new StatusLine()
  readonly completions: Completions = new Completions(this)
  readonly uploads: Uploads
  readonly #life = new AbortController()
  readonly #switch: SurfaceSwitch
  readonly #modes: Modes
  readonly #add: HTMLButtonElement
  /** The elements around the textarea. */
  readonly #parts: readonly HTMLElement[]
  readonly #toolbar: Toolbar
  readonly #writing: Writing

  constructor(host: HTMLElement, textarea: HTMLTextAreaElement, strings: EditorStrings) {
    this.host = host
    this.textarea = textarea
    this.strings = strings
    this.notice = new Notice({ label: strings.dismiss, run: () => this.surface.focus() })
    this.events = new EditorEvents(host, this.signal)
    this.#writing = new Writing(this, () => this.#showPressed())
    textarea.id ||= `md-editor-${++count}`
    this.#switch = new SurfaceSwitch(this)
    this.#modes = new Modes(this)
    const { tabList, pane } = this.#modes
    this.#toolbar = new Toolbar(this, (name) => this.press(name))
    const help = createHelpButton(strings, () => this.press('help'))
    const tools = createElement('div', { class: 'md-editor-tools' })
    tools.append(help, createFullscreenButton(this))
    const label = hasTouchScreen() ? strings.tapToAddFiles : strings.addFiles
    this.#add = createButton(label, 'md-editor-add', () => this.#choose(null))
    const { element, liveRegion } = this.notice
    const header = createElement('div', { class: 'md-editor-header' })
    header.append(tabList, this.#toolbar.element, tools)
    header.addEventListener('focusin', () => placeName(header))
    new ResizeObserver(() => placeName(header)).observe(header)
    const footer = createElement('div', { class: 'md-editor-footer' })
    footer.append(element, this.#add, this.status.element, liveRegion)
    this.#parts = [header, pane, footer]
    for (const part of this.#parts) part.setAttribute(PART, '')
    host.prepend(header)
    host.append(pane, footer)
    this.#applyHeight()
    this.uploads = new Uploads(this)
    this.#applyUploads()
    this.#applyMode()
    this.#listen()
  }

  get surface(): Surface {
    return this.#switch.surface
  }

  get signal(): AbortSignal {
    return this.#life.signal
  }

  attribute(name: string): string {
    return this.host.getAttribute(name) ?? ''
  }

  edit(edit: Edit, takeFocus: boolean): boolean {
    const { host, surface } = this
    const active = activeElementOf(host)
    // A surface adds an undo step only while it has the focus. If another element of the editor has
    // the focus, the surface gets it for the edit. A focus outside of the editor does not move.
    const borrows = !takeFocus && !surface.focused && host.contains(active)
    if (takeFocus || borrows) surface.focus({ preventScroll: borrows })
    const done = surface.edit(edit)
    if (borrows) (active as HTMLElement).focus({ preventScroll: true })
    if (!done && takeFocus && surface.editable) this.notice.fail(this.strings.noRoom)
    return done
  }

  /** Returns whether this is the editor of a textarea, and the page has removed no part of it. */
  isOf(textarea: HTMLTextAreaElement): boolean {
    const isWhole = this.#parts.every(({ parentNode }) => parentNode === this.host)
    return textarea === this.textarea && isWhole
  }

  end(): void {
    this.#life.abort()
    this.#switch.end()
    for (const part of this.#parts) part.remove()
  }

  press(name: Exclude<ShortcutName, 'modes' | 'submit' | 'toolbar'>): void {
    if (!isDialog(name)) void this.run(name)
    else if (name === 'help' || this.surface.editable) void openDialogByName(name, this)
  }

  async run(name: ToolbarButton | TextCommandName): Promise<void> {
    if (name === 'undo' || name === 'redo') this.surface.step(name)
    else if (isFileKind(name)) this.#choose(name)
    else await this.#writing.run(name)
  }

  accepts(): boolean {
    return this.#takesFiles && this.surface.editable
  }

  add(files: readonly File[], placement?: Placement): void {
    if (!this.#takesFiles) return
    // Shows the text, which gets the placeholders of the uploads.
    this.#modes.showText()
    this.uploads.add(files.map(withPlainName), placement)
  }

  applyAttribute(attribute: 'height' | 'mode' | 'surface' | 'toolbar'): void {
    if (attribute === 'surface') this.#switch.update()
    else if (attribute === 'mode') this.#applyMode()
    else if (attribute === 'height') this.#applyHeight()
    else {
      this.#toolbar.update()
      this.#showPressed()
      this.#applyUploads()
    }
  }

  /** Prepares the text for saving. After a failure, shows the error and returns false. */
  finalize(): Promise<boolean> {
    return prepare(
      () => [this],
      () => void this.finalize(),
    )
  }

  get #takesFiles(): boolean {
    return this.attribute('upload-url') !== ''
  }

  #listen(): void {
    const { host, signal } = this
    this.events.key.add((event) => this.#useShortcut(event))
    this.events.pause.add(() => this.#showPressed())
    listenForPaste(this)
    listenForFiles(this)
    host.addEventListener('focusin', () => void this.#showCounts(), { signal, once: true })
    guardForm(this)
  }

  #applyMode(): void {
    this.#modes.select(MODES.find((mode) => mode === this.attribute('mode')) ?? 'write')
  }

  #applyHeight(): void {
    const height = toCssLength(this.attribute('height'))
    this.host.style.setProperty('--md-editor-height', height ?? '') // `''` removes the property.
  }

  #applyUploads(): void {
    this.#add.hidden = !this.#takesFiles
    if (this.#takesFiles || this.attribute('finalize-url') !== '') prefetchPreparation(this.strings)
  }

  #useShortcut(event: KeyboardEvent): void {
    const name = shortcutOf(event)
    if (name === null || event.defaultPrevented) return
    const isForText = !['help', 'modes', 'submit'].includes(name)
    if (isForText && event.target !== this.surface.target) return
    event.preventDefault()
    const { form } = this.textarea
    if (name === 'modes') this.#modes.selectNext()
    else if (name === 'toolbar') this.#toolbar.focus()
    else if (name !== 'submit') this.press(name)
    else if (form !== null) formMember(form, 'requestSubmit').call(form)
  }

  #choose(kind: FileKind | null): void {
    const accepted = acceptedTypes(kind, this.host.getAttribute('upload-types'))
    if (accepted === null || !this.accepts()) return
    openChooser(accepted, true, (files) => this.add(files))
  }

  async #showCounts(): Promise<void> {
    try {
      const { Counts } = await import('../toolbar/counts.ts')
      if (!this.signal.aborted) new Counts(this)
    } catch {
      // The module could not be loaded. The editor works without the counts.
    }
  }

  #showPressed(): void {
    this.#toolbar.show(this.#writing.activeOf(TOGGLE_BUTTONS))
  }
}
