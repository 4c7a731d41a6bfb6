import { createButton, formMember } from '../dom/elements.ts'
import type { EditorContext } from '../editor/editor-context.ts'

const leaving = new WeakMap<HTMLElement, AbortController>()

/** Toggles fullscreen. As a popover the editor is above everything but later dialogs. */
export function toggleFullscreen(context: EditorContext, button: HTMLButtonElement): void {
  const { host, surface } = context
  const open = leaving.get(host)
  if (open !== undefined) {
    open.abort()
    return
  }
  const life = new AbortController()
  leaving.set(host, life)
  const restore = [disableOthers(host), raise(host), lockPage()]
  button.setAttribute('aria-pressed', 'true')
  host.setAttribute('data-fullscreen', '')
  const submit = createSubmitButton(context, () => life.abort())
  if (submit !== null) button.parentElement?.prepend(submit)
  if (!host.contains(document.activeElement)) surface.focus({ preventScroll: true })
  const signal = AbortSignal.any([life.signal, context.signal])
  // On the document, because after a click outside the text no element has the focus.
  document.addEventListener('keydown', (event) => leaveByKey(event, host, life), { signal })
  signal.addEventListener('abort', () => {
    leaving.delete(host)
    submit?.remove()
    host.removeAttribute('data-fullscreen')
    button.setAttribute('aria-pressed', 'false')
    for (const undo of restore) undo()
    if (!context.signal.aborted && !context.surface.focused) button.focus({ preventScroll: true })
  })
}

/** A button like the first submit button of the form, which is hidden in fullscreen. */
function createSubmitButton(
  { textarea: { form } }: EditorContext,
  leave: () => void,
): HTMLButtonElement | null {
  const controls = form === null ? [] : [...formMember(form, 'elements')]
  const first = controls.find((control) =>
    control.matches(':is(button, input)[type=submit], button:not([type])'),
  )
  if (form === null || !(first instanceof HTMLButtonElement || first instanceof HTMLInputElement))
    return null
  const label = first.textContent?.trim() || first.value
  // Outside of fullscreen, the browser can show what is not valid.
  return createButton(label, 'md-editor-action md-editor-main', () => {
    leave()
    formMember(form, 'requestSubmit').call(form, first)
  })
}

function leaveByKey(event: KeyboardEvent, host: HTMLElement, life: AbortController): void {
  if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return
  const others = document.querySelectorAll('dialog[open], :popover-open')
  if ([...others].some((other) => other !== host && !other.contains(host))) return
  event.preventDefault()
  life.abort()
}

/** Keeps the page from scrolling. Returns a function that restores its scroll position. */
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

/** Keeps the focus inside. */
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

/** Moves the editor into the top layer, where styles of ancestors do not apply. */
function raise(host: HTMLElement): () => void {
  if (host.hasAttribute('popover') || !('showPopover' in host)) return () => {}
  host.popover = 'manual'
  host.showPopover()
  return () => {
    host.removeAttribute('popover')
  }
}
