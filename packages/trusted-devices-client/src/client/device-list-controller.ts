import { fill, problemText } from '../list/strings.ts'
import { view } from '../list/view-node.ts'
import { ask } from './ask.ts'
import { DeviceApi, type DeviceApiOptions } from './device-api.ts'
import { DeviceRows } from './device-rows.ts'
import { dispatch, toElement } from './dom.ts'
import type { DeviceAnswer } from './requests.ts'

const TICK = 60_000
const FRESH = 10_000

/** Sends the forms of a list to the endpoints and shows the results. */
export class DeviceListController {
  readonly #host: HTMLElement
  readonly #options: DeviceApiOptions
  readonly #rows: DeviceRows
  readonly #api: DeviceApi
  readonly #ended = new AbortController()
  #loadedAt = Date.now()
  #isOut = false

  constructor(host: HTMLElement, options: DeviceApiOptions) {
    this.#host = host
    this.#options = options
    this.#rows = new DeviceRows(host, options.context)
    this.#api = new DeviceApi(host, options, () => this.#signedOut())
  }

  start(): void {
    const { signal } = this.#ended
    this.#host.addEventListener('submit', (event) => this.#submit(event), { signal })
    this.#host.addEventListener('click', (event) => this.#click(event), { signal })
    // `toggle` does not bubble, so it is captured.
    this.#host.addEventListener('toggle', selectName, { capture: true, signal })
    this.#host.addEventListener('keydown', cancelRename, { signal })
    // Loads the list again when the user returns to the tab, because another tab or device may have
    // changed it.
    const look = (): void => {
      if (document.visibilityState === 'visible' && Date.now() - this.#loadedAt > FRESH)
        void this.load(true)
    }
    document.addEventListener('visibilitychange', look, { signal })
    window.addEventListener('focus', look, { signal })
    const timer = setInterval(() => this.#rows.tick(), TICK)
    signal.addEventListener('abort', () => clearInterval(timer))
    if (this.#rows.all.length === 0) void this.load()
  }

  end(): void {
    this.#ended.abort()
  }

  /**
   * Fetches at least one page, and as many devices as the list shows, up to 100.
   *
   * @param isQuiet true to show no messages
   */
  async load(isQuiet = false): Promise<void> {
    if (this.#isOut) return
    const { strings } = this.#options.context()
    if (!isQuiet) this.#rows.say(strings.loading)
    const limit = Math.min(Math.max(this.#rows.all.length, this.#pageSize()), 100)
    const answer = await this.#api.send('GET', `?limit=${limit}`)
    this.#loadedAt = Date.now()
    if (!answer) return
    const dialog = this.#host.querySelector('.td-dialog')
    // Redrawing would remove the button that gets the focus when the dialog closes.
    if (dialog) await new Promise((done) => dialog.addEventListener('close', done))
    if (answer.status === 200) {
      if (!isQuiet) this.#rows.say('')
      return this.#rows.put(...pageOf(answer), true)
    }
    if (!isQuiet)
      this.#showProblem(
        answer,
        '',
        this.#button(strings.retry, () => void this.load()),
      )
  }

  async #more(button: HTMLElement): Promise<void> {
    const cursor = encodeURIComponent(button.dataset['cursor'] ?? '')
    const answer = await this.#api.send('GET', `?limit=${this.#pageSize()}&cursor=${cursor}`)
    if (!answer) return
    if (answer.status !== 200) return this.#showProblem(answer)
    const count = this.#rows.all.length
    this.#rows.put(...pageOf(answer), false)
    this.#rows.focus(this.#rows.all[count])
  }

  #click(event: Event): void {
    const more = (event.target as Element).closest<HTMLElement>('[data-cursor]')
    if (!more) return
    event.preventDefault()
    void this.#more(more)
  }

  #submit(event: Event): void {
    const form = event.target as HTMLFormElement
    const operation = form.dataset['operation']
    if (!operation || event.defaultPrevented) return // The form of a dialog has no operation.
    event.preventDefault()
    const row = form.closest<HTMLElement>('.td-device')
    const path = `/${encodeURIComponent(row?.dataset['uid'] ?? '')}`
    if (operation === 'rename' && row) void this.#rename(row, path, form)
    else if (operation === 'revoke' && row) void this.#revoke(row, path)
    else void this.#revokeAll(operation === 'revoke-others')
  }

  async #rename(row: HTMLElement, path: string, form: HTMLFormElement): Promise<void> {
    const wanted = String(new FormData(form).get('name') ?? '')
    const answer = await this.#api.change('PATCH', path, { name: wanted })
    if (!answer) return
    if (answer.status !== 200) return this.#showProblem(answer, this.#rows.nameOf(row))
    const name = this.#rows.nameOf(this.#rows.rename(row, answer.body))
    this.#rows.say(fill(this.#options.context().strings.renamed, { name }))
  }

  async #revoke(row: HTMLElement, path: string): Promise<void> {
    const { strings } = this.#options.context()
    const name = this.#rows.nameOf(row)
    const isCurrent = row.hasAttribute('data-current')
    const text = isCurrent ? strings.confirmSignOut : fill(strings.confirmRevoke, { name })
    if (!(await this.#confirms(text, strings.signOut))) return
    const answer = await this.#api.change('DELETE', path)
    if (!answer) return
    const isGone = answer.code === 'device_not_found'
    if (answer.status !== 204 && !isGone) return this.#showProblem(answer, name)
    this.#rows.remove(row)
    this.#rows.say(fill(isGone ? strings.device_not_found : strings.revoked, { name }))
    if (!isGone) dispatch(this.#host, 'device-revoked', { uid: row.dataset['uid'] })
    if (isCurrent) this.#signedOut()
  }

  async #revokeAll(keepsCurrent: boolean): Promise<void> {
    const { strings } = this.#options.context()
    const [text, yes] = keepsCurrent
      ? [strings.confirmOthers, strings.revokeOthers]
      : [strings.confirmAll, strings.revokeAll]
    if (!(await this.#confirms(text, yes))) return
    const answer = await this.#api.change('POST', '/revoke-all', { keep_current: keepsCurrent })
    if (!answer) return
    if (answer.status !== 200) return this.#showProblem(answer)
    for (const row of this.#rows.all) {
      if (keepsCurrent && row.hasAttribute('data-current')) continue
      this.#rows.remove(row)
      dispatch(this.#host, 'device-revoked', { uid: row.dataset['uid'] })
    }
    if (!keepsCurrent) return this.#signedOut()
    this.#rows.setCursor(null)
    this.#rows.focus(this.#rows.all[0]) // The stylesheet hides the button that had the focus.
    this.#rows.say(fill(strings.revokedCount, { count: String(answer.body['revoked_count']) }))
  }

  async #confirms(text: string, yes: string): Promise<boolean> {
    const answer = await ask(this.#host, { text, yes, no: this.#options.context().strings.cancel })
    return answer !== null
  }

  #signedOut(): void {
    if (this.#isOut || this.#ended.signal.aborted) return
    this.#isOut = true
    if (!dispatch(this.#host, 'signed-out', {})) return
    const url = this.#host.getAttribute('signed-out-url')
    if (url !== null) {
      location.assign(url)
      return
    }
    const { strings } = this.#options.context()
    for (const row of this.#rows.all) this.#rows.remove(row)
    this.#rows.say(
      strings.signedOut,
      true,
      this.#button(strings.reload, () => location.reload()),
    )
  }

  #showProblem(answer: DeviceAnswer, name = '', button: HTMLElement | null = null): void {
    const { strings } = this.#options.context()
    const isOutdated = answer.code === 'csrf_failed'
    const reload = isOutdated ? this.#button(strings.reload, () => location.reload()) : button
    this.#rows.say(problemText(strings, answer, name), true, reload)
  }

  #button(text: string, run: () => void): HTMLElement {
    const button = toElement(view('button', { class: 'td-button', type: 'button' }, text))
    button.addEventListener('click', run)
    return button
  }

  #pageSize(): number {
    const size = Math.trunc(Number(this.#host.getAttribute('page-size')))
    return size >= 1 && size <= 100 ? size : 50
  }
}

function pageOf({ body }: DeviceAnswer): [devices: readonly unknown[], cursor: string | null] {
  const { devices, next_cursor: cursor } = body
  return [Array.isArray(devices) ? devices : [], typeof cursor === 'string' ? cursor : null]
}

/** Selects the name when the user opens the form to rename a device. */
function selectName({ target }: Event): void {
  const form = target as HTMLDetailsElement
  if (!form.open || !form.contains(document.activeElement)) return
  const input = form.querySelector<HTMLInputElement>('.td-input')
  input?.focus()
  input?.select()
}

/** Closes the form to rename a device, and forgets the typed name, when the user presses Escape. */
function cancelRename({ key, target }: KeyboardEvent): void {
  const form = key === 'Escape' && (target as Element).closest<HTMLDetailsElement>('.td-rename')
  if (!form) return
  form.querySelector('form')?.reset()
  form.open = false
  form.querySelector('summary')?.focus()
}
