/**
 * Returns the position of a popup in the viewport. The popup is below its anchor, or above the
 * anchor if there is no space below. If possible, the popup stays within the width of the editor.
 */
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
