import { deviceIcon } from './icons.ts'
import { type DeviceListStrings, fill } from './strings.ts'
import { exactTime, placeName, relativeTime } from './times.ts'
import { type ViewElement, type ViewNode, view } from './view-node.ts'

/** A device in the list. A `TrustedDevice` has all these properties. */
export interface ListedDevice {
  readonly uid: string
  readonly name: string
  readonly browser: string | null
  readonly os: string | null
  readonly deviceType: string | null
  readonly city: string | null
  readonly country: string | null
  readonly address: string | null
  readonly createdAt: Date
  readonly lastSeenAt: Date
}

/** The values that all views of the list use. */
export interface ListContext {
  readonly strings: DeviceListStrings
  readonly locale: string
  readonly now: Date
  /** An IANA name. @default the time zone of the computer */
  readonly timeZone?: string
  /** The prefix of the URLs to which forms are sent. */
  readonly action: string
  readonly csrfToken: string
  /** The level of the headings with the names of devices, 1 to 6. */
  readonly headingLevel: number
}

/** Creates the row of a device with its forms. */
export function deviceView(
  device: ListedDevice,
  isCurrent: boolean,
  context: ListContext,
): ViewElement {
  const { strings, headingLevel } = context
  const heading = `td-${device.uid}`
  return view(
    'li',
    {
      class: 'td-device',
      'data-uid': device.uid,
      'data-current': isCurrent,
      'aria-labelledby': heading,
    },
    deviceIcon(device.deviceType),
    view(
      'div',
      { class: 'td-facts' },
      view(
        `h${headingLevel}`,
        { class: 'td-heading', id: heading },
        view('bdi', { class: 'td-name' }, shownName(device, strings)),
        isCurrent ? ' ' : null,
        isCurrent ? view('span', { class: 'td-badge' }, strings.thisDevice) : null,
      ),
      ...factsView(device, isCurrent, context),
    ),
    view(
      'div',
      { class: 'td-actions' },
      renameView(device, context),
      revokeView(device, isCurrent, context),
    ),
  )
}

/**
 * Returns the name of a device. A heading needs text, so a name without visible characters is
 * replaced.
 */
function shownName({ name }: ListedDevice, { unnamed }: DeviceListStrings): string {
  return /[^\p{C}\p{Z}]/u.test(name) ? name : unnamed
}

function factsView(
  device: ListedDevice,
  isCurrent: boolean,
  context: ListContext,
): (ViewElement | null)[] {
  const { strings, locale } = context
  const what = [device.browser, device.os].filter((fact) => !isNamed(device, fact))
  const where = [
    placeName(device.city, device.country, locale),
    device.address && fill(strings.address, { address: device.address }),
  ]
  const seen = isCurrent
    ? [strings.activeNow]
    : [`${strings.lastSeen} `, timeView(device.lastSeenAt, context)]
  return [
    ...[what, where].map((facts) => joined(facts.filter(Boolean) as string[])),
    view(
      'p',
      { class: 'td-meta' },
      ...seen,
      ` · ${strings.signedIn} `,
      timeView(device.createdAt, context),
    ),
  ]
}

/**
 * Returns whether the name of a device already contains a detail. Ignores the version, so the name
 * "Chrome on Linux" contains the detail "Chrome 156".
 */
function isNamed({ name }: ListedDevice, fact: string | null): boolean {
  return name.includes(fact?.replace(/ \d+$/, '') ?? '')
}

function joined(facts: readonly string[]): ViewElement | null {
  if (facts.length === 0) return null
  const parts = facts.flatMap((fact, index): ViewNode[] => [
    ...(index > 0 ? [' · '] : []),
    view('bdi', {}, fact),
  ])
  return view('p', { class: 'td-meta' }, ...parts)
}

function timeView(time: Date, { strings, locale, now, timeZone }: ListContext): ViewElement {
  const attributes = { datetime: time.toISOString(), title: exactTime(time, locale, timeZone) }
  return view('time', attributes, relativeTime(time, now, locale, strings.justNow))
}

function renameView(device: ListedDevice, context: ListContext): ViewElement {
  const { strings } = context
  const name = shownName(device, strings)
  return view(
    'details',
    { class: 'td-rename' },
    view(
      'summary',
      { class: 'td-button', 'aria-label': fill(strings.renameOf, { name }) },
      strings.rename,
    ),
    formView(
      `${encodeURIComponent(device.uid)}/rename`,
      'rename',
      context,
      view('input', {
        class: 'td-input',
        name: 'name',
        value: device.name,
        required: true,
        maxlength: '255',
        autocomplete: 'off',
        'aria-label': fill(strings.nameOf, { name }),
      }),
      view('button', { class: 'td-button' }, strings.save),
    ),
  )
}

function revokeView(device: ListedDevice, isCurrent: boolean, context: ListContext): ViewElement {
  const { strings } = context
  const label = isCurrent ? strings.signOutHere : strings.signOutOf
  const attributes = {
    class: 'td-button td-danger',
    'aria-label': fill(label, { name: shownName(device, strings) }),
  }
  return formView(
    `${encodeURIComponent(device.uid)}/revoke`,
    'revoke',
    context,
    view('button', attributes, strings.signOut),
  )
}

/** Creates the buttons that sign out all other devices or all devices. */
export function everywhereView(context: ListContext): ViewElement {
  const { strings } = context
  const keep = view('input', { type: 'hidden', name: 'keep_current', value: 'true' })
  return view(
    'div',
    { class: 'td-everywhere' },
    formView(
      'revoke-all',
      'revoke-others',
      context,
      keep,
      view('button', { class: 'td-button' }, strings.revokeOthers),
    ),
    formView(
      'revoke-all',
      'revoke-all',
      context,
      view('button', { class: 'td-button td-danger' }, strings.revokeAll),
    ),
  )
}

/** Creates a line with the time when the list was loaded, because the list can be out of date. */
export function loadedView(context: ListContext): ViewElement {
  const loaded = timeView(context.now, context)
  return view('p', { class: 'td-meta td-loaded' }, `${context.strings.loaded} `, loaded)
}

/**
 * Creates the control for the next page. With a URL, the control is a link. Otherwise, it is a
 * button that the script handles.
 */
export function moreView(
  cursor: string,
  url: string | null,
  { strings }: ListContext,
): ViewElement {
  const attributes = { class: 'td-button', 'data-cursor': cursor }
  const more =
    url === null
      ? view('button', { ...attributes, type: 'button' }, strings.more)
      : view('a', { ...attributes, href: url }, strings.more)
  return view('p', { class: 'td-more' }, more)
}

/** Creates a form that posts to the application and contains the CSRF token. */
export function formView(
  path: string,
  operation: string,
  { action, csrfToken }: ListContext,
  ...fields: readonly ViewNode[]
): ViewElement {
  return view(
    'form',
    { class: 'td-form', method: 'post', action: `${action}/${path}`, 'data-operation': operation },
    view('input', { type: 'hidden', name: 'csrf_token', value: csrfToken }),
    ...fields,
  )
}
