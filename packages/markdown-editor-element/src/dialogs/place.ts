/** Returns a position in the viewport below the anchor, or above it if there is no space. */
export function placeAt(
  anchor: DOMRect,
  popup: HTMLElement,
  host: HTMLElement,
): { readonly left: number; readonly top: number } {
  const [width, height] = [Math.ceil(popup.getBoundingClientRect().width), popup.offsetHeight]
  const viewport = document.documentElement
  const clamp = (at: number, most: number): number => Math.max(8, Math.min(at, most - 8))
  const rtl = getComputedStyle(host).direction === 'rtl'
  const editor = host.getBoundingClientRect()
  const wanted = rtl ? anchor.right - width : anchor.left
  const inside = Math.max(editor.left, Math.min(wanted, editor.right - width))
  const left = clamp(inside, viewport.clientWidth - width)
  const fits = anchor.bottom + 4 + height <= viewport.clientHeight
  const above = clamp(anchor.top - height - 4, viewport.clientHeight - height)
  return { left, top: fits ? anchor.bottom + 4 : above }
}
