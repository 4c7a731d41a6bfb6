import type { EditorState, Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { FONT_STYLES } from '../../dom/textarea-geometry.ts'

interface StyleModuleClass {
  mount(root: object, modules: readonly unknown[]): void
}

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
 * Adds the styles of CodeMirror as adopted style sheets, because a strict Content-Security-Policy
 * forbids its `<style>` element. CodeMirror adopts them only for a root without a `head`, so this
 * function mounts them on such an object and copies their state to the document.
 */
export function adoptStyles(root: Document | ShadowRoot, state: EditorState): void {
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
