import {
  deviceView,
  everywhereView,
  type ListContext,
  loadedView,
  moreView,
} from '../list/list-view.ts'
import { exactTime, relativeTime } from '../list/times.ts'
import { view } from '../list/view-node.ts'
import { toElement } from './dom.ts'
import { parseDevice } from './parse-device.ts'

/** Manages the rows, the messages and the focus of the list in the page. */
export class DeviceRows {
  readonly #host: HTMLElement
  readonly #context: () => ListContext
  readonly #list: HTMLElement
  readonly #status: HTMLElement

  /** Uses the list that the server rendered. If there is none, creates a list. */
  constructor(host: HTMLElement, context: () => ListContext) {
    this.#host = host
    this.#context = context
    const { strings } = context()
    const part = (selector: string, make: () => HTMLElement): HTMLElement =>
      host.querySelector<HTMLElement>(selector) ?? host.appendChild(make())
    // Screen readers announce a message only if its element was in the page before the message.
    this.#status = part('.td-status', () =>
      toElement(view('p', { class: 'td-status', role: 'status' })),
    )
    host.prepend(this.#status)
    this.#list = part('.td-list', () =>
      toElement(view('ul', { class: 'td-list', 'aria-label': strings.devices })),
    )
    part('.td-everywhere', () => toElement(everywhereView(context())))
    this.tick()
  }

  get all(): HTMLElement[] {
    return [...this.#list.querySelectorAll<HTMLElement>(':scope > .td-device')]
  }

  nameOf(row: Element | null): string {
    return row?.querySelector('.td-name')?.textContent ?? ''
  }

  /** Shows a page of devices. The first page also removes the rows of other devices. */
  put(devices: readonly unknown[], cursor: string | null, isFirst: boolean): void {
    const before = new Map(this.all.map((row) => [row.dataset['uid'], row]))
    const shown = new Set<string>()
    const parsed = devices.map(parseDevice).filter((each) => each !== null)
    parsed.sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent))
    for (const { device, isCurrent } of parsed) {
      shown.add(device.uid)
      const row = toElement(deviceView(device, isCurrent, this.#context()))
      const old = before.get(device.uid)
      // Keeps the old row if the user is working in it.
      if (old?.matches(':focus-within, :has(details[open])')) continue
      if (old) old.replaceWith(row)
      else this.#list.append(row)
    }
    if (isFirst) {
      for (const [uid, row] of before) if (!shown.has(uid ?? '')) this.remove(row)
      this.#host.querySelector('.td-loaded')?.remove()
      this.#host.append(toElement(loadedView(this.#context())))
    }
    this.setCursor(cursor)
    this.tick()
  }

  /** Sets the cursor of the next page. Without a cursor, removes the control for the next page. */
  setCursor(cursor: string | null): void {
    const more = this.#host.querySelector<HTMLElement>('[data-cursor]')
    // Keeps the control if possible, because it can have the focus.
    if (more && cursor !== null) more.dataset['cursor'] = cursor
    else if (more?.parentElement) this.remove(more.parentElement)
    else if (cursor !== null) this.#list.after(toElement(moreView(cursor, null, this.#context())))
  }

  /** Removes an element. If it had the focus, a neighboring row or the list gets the focus. */
  remove(element: HTMLElement): void {
    const hadFocus = element.contains(document.activeElement)
    const rows = this.all
    const index = rows.indexOf(element)
    element.remove()
    if (hadFocus) this.focus(rows[index + 1] ?? rows[index - 1])
  }

  /** Focuses a row. Without a row, focuses the list. */
  focus(row: HTMLElement = this.#list): void {
    row.tabIndex = -1
    row.focus()
  }

  /**
   * Replaces a row after its device was renamed.
   *
   * @param json the device from the server's answer
   * @returns the new row, or the old row if `json` is not a device
   */
  rename(row: HTMLElement, json: unknown): HTMLElement {
    const parsed = parseDevice(json)
    if (!parsed) return row
    const fresh = toElement(deviceView(parsed.device, parsed.isCurrent, this.#context()))
    row.replaceWith(fresh)
    fresh.querySelector<HTMLElement>('summary')?.focus()
    this.tick()
    return fresh
  }

  /** Shows a message, which screen readers announce. The next message replaces it. */
  say(text: string, isProblem = false, button: HTMLElement | null = null): void {
    for (const old of this.#host.querySelectorAll(':scope > .td-problem, :scope > .td-step-up'))
      old.remove()
    this.#status.textContent = isProblem ? '' : text
    if (!isProblem) return
    const problem = toElement(view('p', { class: 'td-problem', role: 'alert' }, text, ' '))
    this.#status.after(problem)
    if (button) problem.append(button)
  }

  /** Updates the relative times. Shows exact times in the time zone of this computer. */
  tick(): void {
    const { locale, strings } = this.#context()
    for (const time of this.#host.querySelectorAll('time')) {
      const date = new Date(time.dateTime)
      time.textContent = relativeTime(date, new Date(), locale, strings.justNow)
      time.title = exactTime(date, locale)
    }
  }
}
