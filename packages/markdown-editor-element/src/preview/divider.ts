import { createElement } from '../dom/elements.ts'
import type { EditorContext } from '../editor/editor-context.ts'

// The smallest share of the width, in percent.
const LEAST = 20
const MOST = 80
const MIDDLE = 50
const STEP = 5

const STORED = 'md-editor-split'

/** The divider of text and preview: https://www.w3.org/WAI/ARIA/apg/patterns/windowsplitter/ */
export class Divider {
  readonly element: HTMLDivElement
  readonly #host: HTMLElement
  #share = MIDDLE

  /** @param label its name for screen readers */
  constructor({ host, textarea, signal }: EditorContext, label: string) {
    this.#host = host
    this.element = createElement('div', {
      class: 'md-editor-divider',
      role: 'separator',
      tabindex: '0',
      'aria-label': label,
      'aria-orientation': 'vertical',
      'aria-controls': textarea.id,
      'aria-valuemin': String(LEAST),
      'aria-valuemax': String(MOST),
    })
    this.#set(remembered())
    signal.addEventListener('abort', () => host.style.removeProperty('--md-editor-split'))
    this.element.addEventListener('keydown', (event) => this.#onKey(event))
    this.element.addEventListener('dblclick', () => this.#choose(MIDDLE))
    this.element.addEventListener('pointerdown', (event) => this.#drag(event))
  }

  #onKey(event: KeyboardEvent): void {
    const step = this.#isRtl ? -STEP : STEP
    const shares = new Map([
      ['ArrowLeft', this.#share - step],
      ['ArrowRight', this.#share + step],
      ['Home', LEAST],
      ['End', MOST],
      ['Enter', MIDDLE],
    ])
    const share = shares.get(event.key)
    if (share === undefined || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    this.#choose(share)
  }

  #drag(down: PointerEvent): void {
    if (down.button !== 0) return
    down.preventDefault() // No text is selected meanwhile.
    const { element } = this
    element.focus({ preventScroll: true })
    element.setPointerCapture(down.pointerId)
    const box = element.getBoundingClientRect()
    const grip = down.clientX - box.left - box.width / 2
    const dragging = new AbortController()
    const { signal } = dragging
    element.addEventListener(
      'pointermove',
      ({ clientX }) => this.#set(this.#shareAt(clientX - grip)),
      { signal },
    )
    element.addEventListener(
      'lostpointercapture',
      () => {
        dragging.abort()
        remember(this.#share)
      },
      { signal },
    )
  }

  #shareAt(x: number): number {
    const { left, width } = this.#host.getBoundingClientRect()
    const share = ((x - left) / width) * 100
    return this.#isRtl ? 100 - share : share
  }

  get #isRtl(): boolean {
    return this.element.matches(':dir(rtl)')
  }

  #choose(share: number): void {
    this.#set(share)
    remember(this.#share)
  }

  #set(share: number): void {
    this.#share = Math.min(Math.max(share, LEAST), MOST)
    this.#host.style.setProperty('--md-editor-split', `${this.#share}%`)
    this.element.setAttribute('aria-valuenow', String(Math.round(this.#share)))
  }
}

function remembered(): number {
  try {
    return Number(localStorage.getItem(STORED) ?? MIDDLE) || MIDDLE
  } catch {
    return MIDDLE // The page may not store anything.
  }
}

function remember(share: number): void {
  try {
    localStorage.setItem(STORED, String(share))
  } catch {
    // Then it is forgotten.
  }
}
