/** Links that leave the text open in a new tab, so that the text being written is not lost. */
export function openElsewhere(root: ParentNode): void {
  for (const link of root.querySelectorAll<HTMLAnchorElement>('a[href]:not([href^="#"])')) {
    link.target = '_blank'
    link.relList.add('noopener')
  }
}

/** Lets links within a text scroll to their target here: another preview may have the same ids. */
export function followInside(element: HTMLElement, signal: AbortSignal): void {
  element.addEventListener(
    'click',
    (event) => {
      const link = (event.target as Element).closest('a[href^="#"]')
      if (
        link === null ||
        event.defaultPrevented ||
        event.ctrlKey ||
        event.metaKey ||
        event.shiftKey
      )
        return
      event.preventDefault() // The page's address and history stay as they are.
      const target = findTarget(element, (link.getAttribute('href') ?? '').slice(1))
      if (target === null) return
      target.scrollIntoView()
      focusOnce(target)
    },
    { signal },
  )
}

function findTarget(element: HTMLElement, fragment: string): HTMLElement | null {
  const find = (id: string): HTMLElement | null =>
    element.querySelector<HTMLElement>(`#${CSS.escape(id)}`)
  if (fragment === '') return null
  const exact = find(fragment)
  if (exact !== null) return exact
  try {
    return find(decodeURIComponent(fragment))
  } catch {
    return null // It has a percent sign that encodes nothing.
  }
}

/** Focuses a target, so that the next Tab continues from it as after a native jump. */
function focusOnce(target: HTMLElement): void {
  target.focus({ preventScroll: true })
  if (document.activeElement === target) return
  target.tabIndex = -1
  target.addEventListener('blur', () => target.removeAttribute('tabindex'), { once: true })
  target.focus({ preventScroll: true })
}
