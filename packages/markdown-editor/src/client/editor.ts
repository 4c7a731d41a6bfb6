import { toCssLength } from '../contract/css-length.ts'
import type { ToolbarButton } from '../contract/toolbar.ts'
import { isTextCommand, TEXT_COMMANDS } from './commands/commands.ts'
import type { Edit } from './commands/edit.ts'
import { isDialog, openDialog } from './dialogs/open-dialog.ts'
import { createButton, createElement, PART } from './dom/elements.ts'
import type { EditorContext } from './editor-context.ts'
import { chooseFiles, type FileTarget, listenForFiles } from './files/file-input.ts'
import { type FileKind, isFileKind } from './files/file-types.ts'
import { prefetchRewriteUrls } from './load-part.ts'
import { type Mode, Tabs } from './modes/tabs.ts'
import { PreviewPane } from './preview/preview-pane.ts'
import { withCsrfToken } from './requests/csrf-token.ts'
import { announceRequest, postFile } from './requests/requests.ts'
import { Notice } from './status/notice.ts'
import { StatusLine } from './status/status-line.ts'
import type { EditorStrings } from './strings/strings.ts'
import { Finalizer } from './submit/finalizer.ts'
import { guardForm } from './submit/form-guard.ts'
import { watchComposition } from './surface/composition.ts'
import type { Surface, TextChanges } from './surface/surface.ts'
import { TextareaSurface } from './surface/textarea-surface.ts'
import { createHelpButton } from './toolbar/help-button.ts'
import { shortcutOf } from './toolbar/shortcuts.ts'
import { Toolbar } from './toolbar/toolbar.ts'
import { toolbarItems } from './toolbar/toolbar-items.ts'
import { UploadList } from './uploads/upload-list.ts'
import { Uploads } from './uploads/uploads.ts'

const TOGGLES: ReadonlySet<string> = new Set(
  Object.entries(TEXT_COMMANDS).flatMap(([name, { isActive }]) => (isActive === undefined ? [] : [name])),
)

// Long enough to stay out of the way of typing.
const PRESSED_DELAY = 150

let count = 0

/** What an element builds around its textarea, from when it enters the page until it leaves it. */
export class Editor implements EditorContext, FileTarget {
  readonly host: HTMLElement
  readonly textarea: HTMLTextAreaElement
  readonly strings: EditorStrings
  readonly notice: Notice = new Notice()
  readonly status: StatusLine = new StatusLine()
  readonly #life = new AbortController()
  readonly #onChange: ((changes: TextChanges) => void)[] = []
  readonly #onSelect: (() => void)[] = []
  readonly #surface: Surface
  readonly #uploads: Uploads
  readonly #preview: PreviewPane
  readonly #tabs: Tabs
  readonly #add: HTMLButtonElement
  readonly #parts: readonly HTMLElement[]
  #toolbar: Toolbar
  #pressedTimer: ReturnType<typeof setTimeout> | undefined

  constructor(host: HTMLElement, textarea: HTMLTextAreaElement, strings: EditorStrings) {
    this.host = host
    this.textarea = textarea
    this.strings = strings
    textarea.id ||= `md-editor-${++count}`
    this.#surface = new TextareaSurface(textarea, {
      changed: (changes) => {
        for (const listener of this.#onChange) listener(changes)
      },
      selected: () => {
        for (const listener of this.#onSelect) listener()
      },
    })
    const list = new UploadList(strings)
    this.#uploads = this.#createUploads(list)
    this.#preview = new PreviewPane(`${textarea.id}-preview`, host, strings)
    const panels = { write: textarea.id, preview: this.#preview.element.id }
    this.#tabs = new Tabs(panels, strings, (mode) => this.#show(mode))
    this.#toolbar = this.#createToolbar()
    const help = createHelpButton(strings, () => this.press('help'))
    const tools = createElement('div', { class: 'md-editor-tools' }, help)
    const header = createElement('div', { class: 'md-editor-header' }, this.#tabs.element, this.#toolbar.element, tools)
    this.#add = createButton(strings.addFiles, 'md-editor-add', () => this.#choose(null))
    this.#add.hidden = !this.#takesFiles
    const { element, voice } = this.notice
    const footer = createElement(
      'div',
      { class: 'md-editor-footer' },
      list.element,
      element,
      this.#add,
      this.status.element,
      voice,
    )
    this.#parts = [header, this.#preview.element, footer]
    for (const part of this.#parts) part.setAttribute(PART, '')
    host.prepend(header)
    host.append(this.#preview.element, footer)
    this.applyHeight()
    this.#listen()
  }

  get surface(): Surface {
    return this.#surface
  }

  get signal(): AbortSignal {
    return this.#life.signal
  }

  attribute(name: string): string {
    return this.host.getAttribute(name) ?? ''
  }

  edit(edit: Edit, takeFocus: boolean): boolean {
    const { surface } = this
    const active = document.activeElement
    // Only with the focus the change is a step of the browser's history: it is borrowed from our own buttons.
    const borrow = !takeFocus && !surface.focused && this.host.contains(active)
    if (takeFocus || borrow) surface.focus({ preventScroll: borrow })
    const done = surface.edit(edit)
    if (borrow) (active as HTMLElement).focus({ preventScroll: true })
    return done
  }

  onChange(listener: (changes: TextChanges) => void): void {
    this.#onChange.push(listener)
  }

  onSelect(listener: () => void): void {
    this.#onSelect.push(listener)
  }

  /** Ends everything and leaves the textarea as it was found. */
  end(): void {
    this.#life.abort()
    clearTimeout(this.#pressedTimer)
    this.#uploads.cancelAll()
    this.#show('write')
    this.#preview.end()
    this.#surface.end()
    for (const part of this.#parts) part.remove()
  }

  /** Does what a press of a button does: some ask in a dialog first. */
  press(name: ToolbarButton | 'help'): void {
    if (!isDialog(name)) this.run(name)
    else if (name === 'help' || this.surface.editable) void openDialog(name, this)
  }

  /** Does what a button does, without asking. */
  run(name: ToolbarButton): void {
    if (name === 'undo' || name === 'redo') {
      this.surface[name]()
    } else if (isFileKind(name)) {
      this.#choose(name)
    } else if (isTextCommand(name)) {
      const edit = TEXT_COMMANDS[name].run(this.surface.read())
      if (edit !== null) this.edit(edit, true)
    }
  }

  accepts(): boolean {
    return this.#takesFiles && this.surface.editable
  }

  add(files: readonly File[]): void {
    if (!this.accepts()) return
    prefetchRewriteUrls(this.strings)
    this.#uploads.add(files)
  }

  /** Builds the toolbar anew from the `toolbar` attribute. */
  applyToolbar(): void {
    const toolbar = this.#createToolbar()
    this.#toolbar.element.replaceWith(toolbar.element)
    this.#toolbar = toolbar
  }

  /** Sets the height of the `height` attribute. */
  applyHeight(): void {
    const height = toCssLength(this.attribute('height'))
    if (height === null) this.host.style.removeProperty('--md-editor-height')
    else this.host.style.setProperty('--md-editor-height', height)
  }

  get #takesFiles(): boolean {
    return this.attribute('upload-url') !== ''
  }

  #createUploads(list: UploadList): Uploads {
    const host = {
      read: () => this.surface.read(),
      insert: (edit: Edit) => this.edit(edit, true),
      edit: (edit: Edit) => this.edit(edit, false),
      idle: watchComposition(this.host, this.signal),
      announce: (message: string) => this.notice.say(message),
      send: (file: File, onProgress: (share: number) => void, signal: AbortSignal) =>
        withCsrfToken(this.textarea.form, signal, (token) => {
          const target = announceRequest(this.host, 'upload', this.attribute('upload-url'), token, signal, this.strings)
          return postFile(target, file, token, onProgress)
        }),
    }
    return new Uploads(host, list, this.strings)
  }

  #listen(): void {
    const { host, signal, textarea } = this
    host.addEventListener('keydown', (event) => this.#onKey(event), { signal })
    this.onChange(() => this.#updatePreview())
    this.onSelect(() => this.#updatePressed())
    // A hidden field cannot show what is wrong with it.
    textarea.addEventListener('invalid', () => this.#tabs.select('write'), { signal })
    listenForFiles(this, this)

    const observer = new MutationObserver(() => this.#toolbar.setDisabled(!this.surface.editable))
    observer.observe(textarea, { attributeFilter: ['disabled', 'readonly'] })
    signal.addEventListener('abort', () => observer.disconnect())
    const { form } = textarea
    if (form === null) return
    const release = guardForm(form, new Finalizer(this, this.#uploads))
    signal.addEventListener('abort', release)
    form.addEventListener('reset', () => this.#uploads.cancelAll(), { signal })
  }

  #onKey(event: KeyboardEvent): void {
    if (event.target !== this.surface.target) return
    const button = shortcutOf(event)
    if (button === null) return
    event.preventDefault()
    this.press(button)
  }

  #createToolbar(): Toolbar {
    const toolbar = new Toolbar(toolbarItems(this.host), TOGGLES, this.strings, (name) => this.press(name))
    toolbar.setDisabled(!this.surface.editable)
    return toolbar
  }

  #choose(kind: FileKind | null): void {
    chooseFiles(kind, this.host.getAttribute('upload-types'), this)
  }

  #updatePressed(): void {
    clearTimeout(this.#pressedTimer)
    this.#pressedTimer = setTimeout(() => {
      const state = this.surface.read()
      this.#toolbar.setPressed((name) => isTextCommand(name) && (TEXT_COMMANDS[name].isActive?.(state) ?? false))
    }, PRESSED_DELAY)
  }

  #updatePreview(): void {
    if (!this.#preview.element.hidden) void this.#preview.show(this.surface.read().text)
  }

  #show(mode: Mode): void {
    const previews = mode === 'preview'
    const { element } = this.surface
    if (previews) this.#preview.element.style.minBlockSize = `${element.offsetHeight}px`
    element.hidden = previews
    this.host.toggleAttribute('data-previewing', previews)
    this.#preview.element.hidden = !previews
    this.#updatePreview()
  }
}
