import { toCssLength } from '../contract/css-length.ts'
import type { ToolbarButton } from '../contract/toolbar.ts'
import { isTextCommand, TEXT_COMMANDS } from './commands/commands.ts'
import type { Edit } from './commands/edit.ts'
import { createButton, createElement } from './dom/elements.ts'
import { chooseFiles, type FileTarget, listenForFiles } from './files/file-input.ts'
import { type FileKind, isFileKind } from './files/file-types.ts'
import { prefetchRewriteUrls } from './load-part.ts'
import { type Mode, Tabs } from './modes/tabs.ts'
import { PreviewPane } from './preview/preview-pane.ts'
import { withCsrfToken } from './requests/csrf-token.ts'
import { announceRequest, postFile } from './requests/requests.ts'
import { Notice } from './status/notice.ts'
import { STRINGS } from './strings/en.ts'
import { Finalizer } from './submit/finalizer.ts'
import { guardForm } from './submit/form-guard.ts'
import { watchComposition } from './surface/composition.ts'
import { editTextarea, hasFocus, isEditable, readTextarea } from './surface/textarea-surface.ts'
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

/** Marks what an editor adds to its element. */
export const PART = 'data-md-editor-part'

let count = 0

/** What an element builds around its textarea, from when it enters the page until it leaves it. */
export class Editor implements FileTarget {
  readonly #host: HTMLElement
  readonly #textarea: HTMLTextAreaElement
  readonly #life = new AbortController()
  readonly #notice = new Notice()
  readonly #uploads: Uploads
  readonly #preview: PreviewPane
  readonly #tabs: Tabs
  readonly #add: HTMLButtonElement
  readonly #parts: readonly HTMLElement[]
  #toolbar: Toolbar
  #pressedTimer: ReturnType<typeof setTimeout> | undefined

  constructor(host: HTMLElement, textarea: HTMLTextAreaElement) {
    this.#host = host
    this.#textarea = textarea
    textarea.id ||= `md-editor-${++count}`
    const list = new UploadList()
    this.#uploads = this.#createUploads(list)
    this.#preview = new PreviewPane(`${textarea.id}-preview`, host)
    this.#tabs = new Tabs({ write: textarea.id, preview: this.#preview.element.id }, (mode) => this.#show(mode))
    this.#toolbar = this.#createToolbar()
    const header = createElement('div', { class: 'md-editor-header' }, this.#tabs.element, this.#toolbar.element)
    this.#add = createButton(STRINGS.addFiles, 'md-editor-add', () => this.#choose(null))
    this.#add.hidden = !this.#takesFiles
    const footer = createElement(
      'div',
      { class: 'md-editor-footer' },
      list.element,
      this.#notice.element,
      this.#add,
      this.#notice.voice,
    )
    this.#parts = [header, this.#preview.element, footer]
    for (const part of this.#parts) part.setAttribute(PART, '')
    host.prepend(header)
    host.append(this.#preview.element, footer)
    this.applyHeight()
    this.#listen()
  }

  /** Ends everything and leaves the textarea as it was found. */
  end(): void {
    this.#life.abort()
    clearTimeout(this.#pressedTimer)
    this.#uploads.cancelAll()
    this.#show('write')
    this.#preview.end()
    for (const part of this.#parts) part.remove()
  }

  /** Does what a button does. */
  run(name: ToolbarButton): void {
    if (name === 'undo' || name === 'redo') {
      this.#textarea.focus()
      document.execCommand(name)
    } else if (isFileKind(name)) {
      this.#choose(name)
    } else if (isTextCommand(name)) {
      const edit = TEXT_COMMANDS[name].run(readTextarea(this.#textarea))
      if (edit !== null) this.#edit(edit, true)
    }
  }

  accepts(): boolean {
    return this.#takesFiles && isEditable(this.#textarea)
  }

  add(files: readonly File[]): void {
    if (!this.accepts()) return
    prefetchRewriteUrls()
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
    const height = toCssLength(this.#attribute('height'))
    if (height === null) this.#host.style.removeProperty('--md-editor-height')
    else this.#host.style.setProperty('--md-editor-height', height)
  }

  get #takesFiles(): boolean {
    return this.#attribute('upload-url') !== ''
  }

  #attribute(name: string): string {
    return this.#host.getAttribute(name) ?? ''
  }

  #createUploads(list: UploadList): Uploads {
    const textarea = this.#textarea
    const host = {
      read: () => readTextarea(textarea),
      insert: (edit: Edit) => this.#edit(edit, true),
      edit: (edit: Edit) => this.#edit(edit, false),
      idle: watchComposition(textarea, this.#life.signal),
      announce: (message: string) => this.#notice.say(message),
      send: (file: File, onProgress: (share: number) => void, signal: AbortSignal) =>
        withCsrfToken(textarea.form, signal, (token) => {
          const target = announceRequest(this.#host, 'upload', this.#attribute('upload-url'), token, signal)
          return postFile(target, file, token, onProgress)
        }),
    }
    return new Uploads(host, list)
  }

  #listen(): void {
    const { signal } = this.#life
    const textarea = this.#textarea
    const { form } = textarea
    const on = (target: EventTarget, names: string, listener: (event: Event) => void): void => {
      for (const name of names.split(' ')) target.addEventListener(name, listener, { signal })
    }
    on(textarea, 'keydown', (event) => {
      const button = shortcutOf(event as KeyboardEvent)
      if (button === null) return
      event.preventDefault()
      this.run(button)
    })
    on(textarea, 'selectionchange input focus', () => this.#updatePressed())
    on(textarea, 'input', () => this.#updatePreview())
    // A hidden field cannot show what is wrong with it.
    on(textarea, 'invalid', () => this.#tabs.select('write'))
    listenForFiles(this.#host, textarea, this, signal)

    const observer = new MutationObserver(() => this.#toolbar.setDisabled(!isEditable(textarea)))
    observer.observe(textarea, { attributeFilter: ['disabled', 'readonly'] })
    signal.addEventListener('abort', () => observer.disconnect())
    if (form === null) return
    const finalizer = new Finalizer(this.#host, textarea, this.#uploads, this.#notice, signal)
    const release = guardForm(form, finalizer)
    signal.addEventListener('abort', release)
    on(form, 'reset', () => this.#uploads.cancelAll())
  }

  #createToolbar(): Toolbar {
    const toolbar = new Toolbar(toolbarItems(this.#host), TOGGLES, (name) => this.run(name))
    toolbar.setDisabled(!isEditable(this.#textarea))
    return toolbar
  }

  #choose(kind: FileKind | null): void {
    chooseFiles(kind, this.#host.getAttribute('upload-types'), this)
  }

  #edit(edit: Edit, takeFocus: boolean): boolean {
    const textarea = this.#textarea
    const active = document.activeElement
    // Only with the focus the change is a step of the browser's history: it is borrowed from our own buttons.
    const borrow = !takeFocus && !hasFocus(textarea) && this.#host.contains(active)
    if (takeFocus || borrow) textarea.focus({ preventScroll: borrow })
    const done = editTextarea(textarea, edit)
    if (borrow) (active as HTMLElement).focus({ preventScroll: true })
    return done
  }

  #updatePressed(): void {
    clearTimeout(this.#pressedTimer)
    this.#pressedTimer = setTimeout(() => {
      const state = readTextarea(this.#textarea)
      this.#toolbar.setPressed((name) => isTextCommand(name) && (TEXT_COMMANDS[name].isActive?.(state) ?? false))
    }, PRESSED_DELAY)
  }

  #updatePreview(): void {
    if (!this.#preview.element.hidden) void this.#preview.show(this.#textarea.value)
  }

  #show(mode: Mode): void {
    const previews = mode === 'preview'
    if (previews) this.#preview.element.style.minBlockSize = `${this.#textarea.offsetHeight}px`
    this.#textarea.hidden = previews
    this.#host.toggleAttribute('data-previewing', previews)
    this.#preview.element.hidden = !previews
    this.#updatePreview()
  }
}
