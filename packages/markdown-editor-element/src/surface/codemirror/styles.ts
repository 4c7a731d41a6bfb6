import type { EditorState, Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { FONT_STYLES } from '../textarea-geometry.ts'

type Root = Document | ShadowRoot

interface StyleModuleClass {
  mount(root: object, modules: readonly unknown[]): void
}

const CSS = `
textarea[data-md-editor-covered] {
  block-size: 1px; border: 0; inline-size: 1px; clip-path: inset(50%); content-visibility: hidden; margin: 0; min-block-size: 0;
  min-inline-size: 0;
  overflow: hidden; padding: 0; pointer-events: none; position: absolute; resize: none;
}
textarea[data-md-editor-covered=covering] { display: none; }
:is(markdown-editor, .md-editor):has(> .md-editor-surface:focus-within) {
  outline: 2px solid var(--_accent); outline-offset: -1px;
}
.md-editor-surface {
  display: flex; flex-direction: column; max-block-size: var(--_most); max-inline-size: 100%; min-block-size: var(--_height); min-inline-size: 0; overflow: hidden;
  resize: vertical;
}
[data-dragging] > .md-editor-surface { background: color-mix(in srgb, var(--_accent) 8%, var(--_background)); }
`

/** Makes CodeMirror look like a textarea. */
export const THEME: Extension = EditorView.theme({
  '&': { flex: 'auto', minBlockSize: '0' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { font: 'inherit', lineHeight: 'inherit', overflow: 'auto' },
  '.cm-content': { caretColor: 'auto', minInlineSize: '0', padding: 'var(--_surface-padding)' },
  '.cm-content[aria-disabled=true]': { color: 'var(--_muted)', cursor: 'not-allowed' },
  '.cm-line': { padding: '0' },
  '.cm-placeholder': { color: 'var(--_muted)' },
})

const adopted = new WeakSet<Root>()

/**
 * Adds the styles of CodeMirror and our own to a document or shadow root as adopted style sheets.
 * By itself, CodeMirror would add a `<style>` element to a document, which a strict
 * Content-Security-Policy forbids.
 */
export function adoptStyles(root: Root, state: EditorState): void {
  if (adopted.has(root)) return
  adopted.add(root)
  adoptModules(root, state)
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(CSS)
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
}

/** Copies the look of a field to the surface that covers it. */
export function copyLook(textarea: HTMLTextAreaElement, surface: HTMLElement): void {
  const computed = getComputedStyle(textarea)
  for (const name of FONT_STYLES) surface.style.setProperty(name, computed.getPropertyValue(name))
  surface.style.setProperty('--_surface-padding', computed.padding)
  // Copies a height that the user or the page has set.
  if (textarea.style.blockSize || textarea.style.height)
    surface.style.blockSize = `${textarea.offsetHeight}px`
}

/**
 * Makes CodeMirror's style modules use adopted style sheets in a document. They do so only for a
 * root without a `head`, such as a shadow root, and store their state on that root. So this
 * function mounts them on an object without a `head` and copies their state to the document.
 */
function adoptModules(root: Root, state: EditorState): void {
  if (!('head' in root)) return
  const modules = state.facet(EditorView.styleModule)
  const headless = {
    ownerDocument: root,
    get adoptedStyleSheets() {
      return root.adoptedStyleSheets
    },
    set adoptedStyleSheets(sheets: CSSStyleSheet[]) {
      root.adoptedStyleSheets = sheets
    },
  }
  const StyleModule = modules[0]?.constructor as unknown as StyleModuleClass
  StyleModule.mount(headless, [])
  for (const key of Object.getOwnPropertySymbols(headless)) {
    if (!(key in root))
      Object.defineProperty(root, key, { value: Reflect.get(headless, key), configurable: true })
  }
}
