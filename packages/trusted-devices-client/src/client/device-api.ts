import type { ListContext } from '../list/list-view.ts'
import { problemText } from '../list/strings.ts'
import { ask } from './ask.ts'
import { type DeviceAnswer, type DeviceFetch, sendRequest } from './requests.ts'

/** Options of {@link DeviceApi}. */
export interface DeviceApiOptions {
  readonly context: () => ListContext
  readonly basePath: string
  readonly fetch: DeviceFetch
}

// The code of a 401 for a wrong password. With any other code, a 401 means that the user is signed
// out.
const PASSWORD_REFUSED = 'invalid_credentials'

/** Calls the endpoints. If an answer shows that the user is signed out, calls `onSignedOut`. */
export class DeviceApi {
  readonly #host: HTMLElement
  readonly #options: DeviceApiOptions
  readonly #onSignedOut: () => void

  constructor(host: HTMLElement, options: DeviceApiOptions, onSignedOut: () => void) {
    this.#host = host
    this.#options = options
    this.#onSignedOut = onSignedOut
  }

  /** Sends a request. Returns null if the page cancelled the request or the user is signed out. */
  async send(method: string, path: string, body?: unknown): Promise<DeviceAnswer | null> {
    const { basePath, context, fetch } = this.#options
    this.#host.setAttribute('aria-busy', 'true')
    const token = context().csrfToken
    const answer = await sendRequest(this.#host, fetch, {
      method,
      url: basePath + path,
      token,
      body,
    })
    this.#host.removeAttribute('aria-busy')
    if (answer?.status !== 401 || answer.code === PASSWORD_REFUSED) return answer
    this.#onSignedOut()
    return null
  }

  /**
   * Sends a change. If the server requires the password, asks for it and sends the change again.
   * Returns null if `send` returns null or the user cancels.
   */
  async change(method: string, path: string, body?: unknown): Promise<DeviceAnswer | null> {
    for (;;) {
      const answer = await this.send(method, path, body)
      if (answer?.code !== 'step_up_required') return answer
      if (!(await this.#proves())) return null
    }
  }

  /** Asks for the password. Returns whether the user entered the correct password. */
  async #proves(): Promise<boolean> {
    const { strings } = this.#options.context()
    const { passwordNeeded: text, continue: yes, cancel: no, password: label } = strings
    let problem = ''
    for (;;) {
      const password = await ask(this.#host, { text, yes, no, password: label, problem })
      if (password === null) return false
      const answer = await this.send('POST', '/reauthenticate', { password })
      if (!answer) return false
      if (answer.status === 204) return true
      problem = problemText(strings, answer, '')
    }
  }
}
