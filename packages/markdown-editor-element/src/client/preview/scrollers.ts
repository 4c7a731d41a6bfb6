const SCROLLERS = 'pre, table'

/** Lets the Tab key reach code and tables that are wider than their place, and no others. */
export class Scrollers {
  readonly #observer = new ResizeObserver((entries) => {
    for (const { target } of entries) reach(target as HTMLElement)
  })

  /** @param signal ends it */
  constructor(signal: AbortSignal) {
    signal.addEventListener('abort', () => this.#observer.disconnect())
  }

  /** Looks at those in an element when it has been laid out, and whenever their place changes. */
  watch(element: Element): void {
    const all = [...element.querySelectorAll(SCROLLERS)]
    for (const scroller of element.matches(SCROLLERS) ? [element, ...all] : all) {
      this.#observer.unobserve(scroller)
      this.#observer.observe(scroller)
    }
  }
}

function reach(scroller: HTMLElement): void {
  const isWide = scroller.scrollWidth > scroller.clientWidth
  if (isWide) scroller.tabIndex = 0
  else scroller.removeAttribute('tabindex')
}
