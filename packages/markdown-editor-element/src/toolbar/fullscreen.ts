import { createButton, formMember, hasFocus } from '../dom/elements.ts'
import type { EditorContext } from '../editor/editor-context.ts'

const leaving = new WeakMap<HTMLElement, AbortController>()

/** Toggles full screen. Uses a popover, which covers everything except dialogs that open later. */
export function toggleFullscreen(context: EditorContext, button: HTMLButtonElement): void {
  const { host, surface } = context
  const open = leaving.get(host)
  if (open !== undefined) {
    open.abort()
    return
  }
  const life = new AbortController()
  leaving.set(host, life)
  // The page is locked first and unlocked last, because it has its whole height only then.
  const restore = [lockPage(), disableOthers(host), raise(host), addSubmitButton(context, button)]
  button.setAttribute('aria-pressed', 'true')
  host.setAttribute('data-fullscreen', '')
  if (!hasFocus(host)) surface.focus({ preventScroll: true })
  const signal = AbortSignal.any([life.signal, context.signal])
  // Listens on the document, because after a click outside the text no element has the focus.
  document.addEventListener('keydown', (event) => leaveByKey(event, host, life), { signal })
  // Ends full screen if a field is invalid, because the editor may cover its validation message.
  const root = context.textarea.getRootNode()
  root.addEventListener('invalid', () => life.abort(), { capture: true, signal })
  signal.addEventListener('abort', () => {
    leaving.delete(host)
    host.removeAttribute('data-fullscreen')
    button.setAttribute('aria-pressed', 'false')
    for (const undo of restore.toReversed()) undo()
    if (!context.signal.aborted && !context.surface.focused) button.focus({ preventScroll: true })
  })
}

/** Adds a button that presses the form's first submit button, which full screen covers. */
function addSubmitButton({ textarea }: EditorContext, button: HTMLButtonElement): () => void {
  const { form } = textarea
  if (form === null) return () => {}
  const original = [...formMember(form, 'elements')].find(
    (control): control is HTMLButtonElement | HTMLInputElement =>
      (control instanceof HTMLButtonElement || control instanceof HTMLInputElement) &&
      control.type === 'submit' &&
      control.checkVisibility(),
  )
  const label = original?.ariaLabel || original?.textContent.trim() || original?.value
  if (original === undefined || !label) return () => {}
  const submit = createButton(label, 'md-editor-action md-editor-main', () => original.click())
  submit.disabled = original.matches(':disabled')
  button.parentElement?.prepend(submit)
  return () => submit.remove()
}

function leaveByKey(event: KeyboardEvent, host: HTMLElement, life: AbortController): void {
  if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return
  const others = document.querySelectorAll('dialog[open], :popover-open')
  if ([...others].some((other) => other !== host && !other.contains(host))) return
  event.preventDefault()
  life.abort()
}

/** Keeps the page from scrolling. Returns a function that restores the scroll position. */
function lockPage(): () => void {
  const { scrollX: left, scrollY: top } = window
  const { style } = document.documentElement
  const before = style.overflow
  style.overflow = 'hidden'
  return () => {
    style.overflow = before
    window.scrollTo({ left, top, behavior: 'instant' })
  }
}

/** Makes all other elements inert, so that the focus stays inside the editor. */
function disableOthers(host: HTMLElement): () => void {
  const disabled: HTMLElement[] = []
  for (
    let node: Element = host;
    node.parentElement !== null && node !== document.body;
    node = node.parentElement
  ) {
    for (const sibling of node.parentElement.children) {
      if (sibling === node || !(sibling instanceof HTMLElement) || sibling.inert) continue
      sibling.inert = true
      disabled.push(sibling)
    }
  }
  return () => {
    for (const element of disabled) element.inert = false
  }
}

/** Moves the editor into the top layer, above its ancestors. Returns a function to move it back. */
function raise(host: HTMLElement): () => void {
  if (host.hasAttribute('popover')) return () => {}
  host.popover = 'manual'
  host.showPopover()
  return () => {
    host.removeAttribute('popover')
  }
}
