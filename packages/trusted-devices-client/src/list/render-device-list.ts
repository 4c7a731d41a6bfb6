import { stringsFor } from './languages.ts'
import {
  deviceView,
  everywhereView,
  formView,
  type ListContext,
  type ListedDevice,
  loadedView,
  moreView,
} from './list-view.ts'
import { type DeviceListStrings, problemText, replaceStrings } from './strings.ts'
import { toHtml, type ViewElement, view } from './view-node.ts'

/** The reason why a form was rejected. `submitDeviceForm` returns such a problem. */
export interface DeviceListProblem {
  /** The code of the problem details, for example `device_lacks_delete_permission`. */
  readonly code: string
  /** The English message. Shown if the list has no text for the code. */
  readonly detail: string
  /** The value of the `retry-after` header in seconds. */
  readonly seconds?: number
  /**
   * The rejected form. The user can send it again with the password. `path` is the path below
   * `action`.
   */
  readonly again?: { readonly path: string; readonly fields: Readonly<Record<string, string>> }
}

/** Options of {@link renderDeviceList}. */
export interface DeviceListOptions {
  /** A page of `devices.registry.list(user.id)`. */
  readonly devices: readonly ListedDevice[]
  /** The device that makes this request, or its uid. */
  readonly current: { readonly uid: string } | string
  /** The token of `gate.csrfToken(req)`. */
  readonly csrfToken: string
  /**
   * The path below which the application handles the forms: `<action>/<uid>/rename`,
   * `<action>/<uid>/revoke`, `<action>/revoke-all`.
   */
  readonly action: string
  /** BCP 47 tag. There are texts in English, German and French. @default 'en' */
  readonly locale?: string
  /** Texts that replace the built-in texts. */
  readonly strings?: Partial<DeviceListStrings>
  /** The cursor of the next page. Null on the last page. */
  readonly nextCursor?: string | null
  /** Returns the URL of the next page. @default the current page with the parameter `cursor` */
  readonly moreUrl?: (cursor: string) => string
  /** The problem to show above the list after the server has rejected a form. */
  readonly problem?: DeviceListProblem | null
  /** The path of the endpoints, for the script. @default '/trusted-devices' */
  readonly basePath?: string
  /**
   * The page that the script opens when the user is signed out. @default no page, but a message in
   * the list
   */
  readonly signedOutUrl?: string
  /** The level of the headings with the names of devices. @default 2 */
  readonly headingLevel?: 1 | 2 | 3 | 4 | 5 | 6
  /**
   * The time zone of exact times. If the script runs, it uses the browser's time zone instead.
   * @default 'UTC'
   */
  readonly timeZone?: string
  /**
   * The time at which the list is shown, for relative times such as "2 hours ago". @default the
   * current time
   */
  readonly now?: Date
}

/**
 * Renders the list as HTML that works without scripts. The script of `<trusted-devices>` enhances
 * the list. All text is escaped.
 *
 * @example
 * const { devices: page, nextCursor } = await devices.registry.list(user.id)
 * const current = session.device
 * renderDeviceList({ devices: page, nextCursor, current, csrfToken, action: '/devices' })
 */
export function renderDeviceList(options: DeviceListOptions): string {
  const {
    devices,
    current,
    locale = 'en',
    strings: changed = {},
    basePath = '/trusted-devices',
  } = options
  const {
    nextCursor = null,
    moreUrl = (cursor) => `?cursor=${encodeURIComponent(cursor)}`,
    headingLevel = 2,
  } = options
  const strings = replaceStrings(stringsFor(locale), changed)
  const context: ListContext = {
    ...{ strings, locale, headingLevel, action: options.action, csrfToken: options.csrfToken },
    now: options.now ?? new Date(),
    timeZone: options.timeZone ?? 'UTC',
  }
  const uid = typeof current === 'string' ? current : current.uid
  const attributes = {
    lang: locale,
    'base-path': basePath,
    action: options.action,
    'heading-level': String(headingLevel),
    'signed-out-url': options.signedOutUrl ?? null,
    strings: Object.keys(changed).length > 0 ? JSON.stringify(changed) : null,
  }
  const currentFirst = devices.toSorted((a, b) => Number(b.uid === uid) - Number(a.uid === uid))
  const rows = currentFirst.map((device) => deviceView(device, device.uid === uid, context))
  return toHtml(
    view(
      'trusted-devices',
      attributes,
      options.problem ? problemView(options.problem, context) : null,
      rows.length === 0 ? view('p', { class: 'td-empty' }, strings.empty) : null,
      view('ul', { class: 'td-list', 'aria-label': strings.devices }, ...rows),
      nextCursor === null ? null : moreView(nextCursor, moreUrl(nextCursor), context),
      everywhereView(context),
      loadedView(context),
    ),
  )
}

function problemView(problem: DeviceListProblem, context: ListContext): ViewElement {
  const { strings } = context
  const { again } = problem
  const text = view('p', { class: 'td-problem', role: 'alert' }, problemText(strings, problem, ''))
  if (!again) return text
  const hidden = Object.entries(again.fields)
    .filter(([name]) => name !== 'csrf_token' && name !== 'password')
    .map(([name, value]) => view('input', { type: 'hidden', name, value }))
  const password = view('input', {
    class: 'td-input',
    type: 'password',
    name: 'password',
    required: true,
    autocomplete: 'current-password',
    'aria-label': strings.password,
  })
  const button = view('button', { class: 'td-button' }, strings.continue)
  return view(
    'div',
    { class: 'td-step-up' },
    text,
    formView(again.path, '', context, ...hidden, password, button),
  )
}
