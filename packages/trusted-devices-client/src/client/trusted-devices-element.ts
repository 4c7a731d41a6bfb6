import type { ListContext } from '../list/list-view.ts'
import { type DeviceListStrings, replaceStrings } from '../list/strings.ts'
import { DeviceListController } from './device-list-controller.ts'
import { loadStrings } from './load-strings.ts'
import { type DeviceFetch, parseRecord } from './requests.ts'

// Code on a server may import this module, but a server has no HTMLElement.
const Base: typeof HTMLElement =
  globalThis.HTMLElement ?? (class {} as unknown as typeof HTMLElement)

/**
 * The element `<trusted-devices>`, which lists the devices of the signed-in user. Enhances a list
 * from `renderDeviceList` inside the element. Without such a list, fetches the devices. Attributes:
 *
 * - `base-path`: the path of the endpoints. The default is `/trusted-devices`.
 * - `lang`: the language. The default is the language of the nearest ancestor with `lang`.
 * - `strings`: JSON with texts that replace the built-in texts. The property `strings` does the
 *   same.
 * - `signed-out-url`: the page to open when the user is signed out.
 * - `theme`: `light` or `dark`. The default is the page's `color-scheme`.
 * - `heading-level`: the level of the headings with the names of devices. The default is 2.
 * - `page-size`: devices per page, 1 to 100. The default is 50.
 *
 * Events, which all bubble:
 *
 * - `request`: dispatched before each request. Cancelable. Listeners can add headers to its
 *   `detail`, a {@link DeviceRequestDetail}.
 * - `device-revoked`: a device was revoked. `detail.uid` is its uid.
 * - `signed-out`: the user is signed out. Cancelling it prevents the new page or the message.
 *
 * @example
 * TrustedDevicesElement.define()
 * // <trusted-devices base-path="/trusted-devices" signed-out-url="/login"></trusted-devices>
 */
export class TrustedDevicesElement extends Base {
  // A page may have set these properties before the script was loaded. Their values are kept.
  /**
   * Sends the requests, for example `client.fetch` of `createTokenClient`. @default `fetch` with
   * cookies
   */
  fetch: DeviceFetch | null = (this as { fetch?: DeviceFetch | null }).fetch ?? null
  /** Texts that replace the built-in texts. */
  strings: Partial<DeviceListStrings> =
    (this as { strings?: Partial<DeviceListStrings> }).strings ?? {}
  #controller: DeviceListController | null = null

  /**
   * Defines the element and returns its class. If the name is already defined, returns the existing
   * class.
   *
   * @param tag the name of the element
   * @param registry the registry in which the element is defined
   */
  static define(
    tag: string = 'trusted-devices',
    registry: CustomElementRegistry = customElements,
  ): CustomElementConstructor {
    const defined = registry.get(tag)
    if (defined !== undefined) return defined
    registry.define(tag, TrustedDevicesElement)
    return TrustedDevicesElement
  }

  /** Fetches the list again. */
  reload(): Promise<void> {
    return this.#controller?.load() ?? Promise.resolve()
  }

  connectedCallback(): void {
    // While the browser parses the page, the list inside the element may still be missing.
    if (document.readyState === 'loading')
      document.addEventListener('DOMContentLoaded', () => void this.#start())
    else void this.#start()
  }

  disconnectedCallback(): void {
    this.#controller?.end()
    this.#controller = null
  }

  async #start(): Promise<void> {
    const locale = localeOf(this)
    const ours = await loadStrings(locale)
    if (!this.isConnected || this.#controller) return
    this.#controller = new DeviceListController(this, {
      context: () => this.#context(locale, ours),
      basePath: (this.getAttribute('base-path') ?? '/trusted-devices').replace(/\/$/, ''),
      fetch: (url, init) => (this.fetch ?? globalThis.fetch)(url, init),
    })
    this.#controller.start()
  }

  #context(locale: string, ours: DeviceListStrings): ListContext {
    const level = Number(this.getAttribute('heading-level'))
    return {
      strings: replaceStrings(ours, {
        ...parseRecord(this.getAttribute('strings') ?? ''),
        ...this.strings,
      }),
      locale,
      now: new Date(),
      action: this.getAttribute('action') ?? '',
      csrfToken: csrfToken(this),
      headingLevel: level >= 1 && level <= 6 ? Math.trunc(level) : 2,
    }
  }
}

function localeOf(element: HTMLElement): string {
  const lang = element.closest<HTMLElement>('[lang]')?.lang
  try {
    return Intl.getCanonicalLocales(lang || 'en')[0] ?? 'en'
  } catch {
    return 'en'
  }
}

function csrfToken(element: HTMLElement): string {
  const field = 'input[name="csrf_token"]'
  const own = element.querySelector<HTMLInputElement>(field)?.value
  const meta = document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.content
  return own || meta || document.querySelector<HTMLInputElement>(field)?.value || ''
}
