import {
  type DeviceListOptions,
  type ListedDevice,
  renderDeviceList,
} from '@quillgate/trusted-devices-client/list'
import { parseFragment } from 'parse5'
import { describe, expect, it } from 'vitest'
import { de } from '../../src/list/strings/de.ts'
import { en } from '../../src/list/strings/en.ts'
import { fr } from '../../src/list/strings/fr.ts'

const NOW = new Date('2026-03-15T12:00:00Z')

const device = (changes: Partial<ListedDevice> = {}): ListedDevice => ({
  uid: '0195a000-0000-7000-8000-000000000001',
  name: 'Firefox on Linux',
  browser: 'Firefox 145',
  os: 'Linux',
  deviceType: 'desktop',
  city: 'Berlin',
  country: 'DE',
  address: '203.0.113.10',
  createdAt: new Date('2026-03-01T08:00:00Z'),
  lastSeenAt: new Date('2026-03-15T09:00:00Z'),
  ...changes,
})

const render = (options: Partial<DeviceListOptions> = {}): string =>
  renderDeviceList({
    devices: [device()],
    current: '',
    csrfToken: 'token',
    action: '/devices',
    now: NOW,
    ...options,
  })

interface Parsed {
  readonly tagName?: string
  readonly attrs?: readonly { name: string; value: string }[]
  readonly childNodes?: readonly Parsed[]
}

/** Returns the names of all elements and attributes in their order. */
function shapeOf(html: string): string {
  const walk = ({ tagName, attrs = [], childNodes = [] }: Parsed): string[] => [
    ...(tagName ? [`${tagName}[${attrs.map(({ name }) => name).join()}]`] : []),
    ...childNodes.flatMap(walk),
  ]
  return walk(parseFragment(html) as unknown as Parsed).join(' ')
}

describe('the list rendered on the server', () => {
  it('has the same HTML structure for hostile names, addresses and texts', () => {
    const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)> ' onfocus=alert(1) autofocus x='&lt;`
    const hostile = device({ name: evil, browser: evil, os: evil, city: evil, address: evil })
    const problem = {
      code: 'x',
      detail: evil,
      again: { path: 'revoke-all', fields: { keep_current: evil } },
    }
    const plain = {
      ...problem,
      detail: 'a',
      again: { path: 'revoke-all', fields: { keep_current: 'true' } },
    }
    const shape = shapeOf(
      render({ problem: plain, nextCursor: 'a', signedOutUrl: '/', strings: { signOut: 'a' } }),
    )
    const attacked = render({
      devices: [hostile],
      csrfToken: evil,
      action: evil,
      problem,
      nextCursor: evil,
      signedOutUrl: evil,
      strings: { signOut: evil },
    })
    expect(shapeOf(attacked)).toBe(shape)
    expect(attacked).not.toContain('<script>')
  })

  it('accepts names as long as the API does', () => {
    expect(render()).toContain('maxlength="255"')
  })

  it('posts to the application, with the token in every form', () => {
    const html = render()
    const forms = html.match(/<form [^>]*>/g) ?? []
    expect(forms).toHaveLength(4)
    expect(html.match(/name="csrf_token" value="token"/g)).toHaveLength(4)
    for (const form of forms) expect(form).toMatch(/method="post" action="\/devices\//)
  })

  it('shows time and place in the requested language', () => {
    expect(render()).toContain('>3 hours ago<')
    expect(render()).toContain('title="March 15, 2026 at 09:00 AM UTC"')
    expect(render({ locale: 'de' })).toContain('>vor 3 Stunden<')
    expect(render({ locale: 'fr' })).toContain('Allemagne')
    expect(render({ locale: 'xx' })).toContain('Sign out everywhere')
    expect(render({ strings: { revokeAll: 'Bye' } })).toContain('>Bye<')
  })

  it('shows browser and system once, and labels the address', () => {
    const textOf = (name: string): string =>
      render({ devices: [device({ name })] }).replace(/<[^>]*>/g, '')
    expect(textOf('Firefox on Linux')).toMatch(/^Firefox on LinuxBerlin/)
    expect(textOf('Work')).toContain('Firefox 145 · Linux')
    expect(textOf('Work')).toContain('Berlin, Germany · IP address 203.0.113.10')
  })

  it('shows the current device first', () => {
    const devices = ['a', 'b', 'c'].map((uid) => device({ uid }))
    const uids = [...render({ devices, current: 'b' }).matchAll(/data-uid="(\w)"/g)]
    expect(uids.map(([, uid]) => uid)).toEqual(['b', 'a', 'c'])
  })

  it('shows when the list was loaded', () => {
    expect(render()).toMatch(/List loaded <time datetime="2026-03-15T12:00:00.000Z"/)
  })

  it('marks the current device, and reports an empty list', () => {
    expect(render({ current: device().uid })).toContain('This device')
    expect(render()).not.toContain('This device')
    expect(render({ devices: [] })).toContain('No devices are signed in.')
  })

  it('shows a time in the future as "just now"', () => {
    const late = device({ lastSeenAt: new Date('2026-03-15T13:00:00Z'), country: '??' })
    expect(render({ devices: [late] })).toContain('>just now<')
  })

  it.each([
    ['DE', 'Germany'],
    ['Deutschland', 'Deutschland'],
    ['DEU', 'DEU'],
    ['<b>&"', '&lt;b&gt;&amp;'],
  ])('names the country of a code, and escapes every other value: %s', (country, shown) => {
    expect(render({ devices: [device({ city: null, country })] })).toContain(`>${shown}`)
  })

  it('words "just now" so that it follows "last seen"', () => {
    const fresh = { devices: [device({ lastSeenAt: NOW })] }
    expect(render(fresh)).toMatch(/Last seen <time[^>]*>just now</)
    expect(render({ ...fresh, locale: 'de' })).toMatch(/Zuletzt aktiv <time[^>]*>gerade eben</)
  })

  it.each(['', '   ', '\u00a0\u200b'])(
    'shows a visible name and a label for a device without a name (%j)',
    (name) => {
      const html = render({ devices: [device({ name })] })
      expect(html).toContain('<bdi class="td-name">Unnamed device</bdi>')
      expect(html).toContain('aria-label="Rename Unnamed device"')
      expect(render({ devices: [device({ name })], locale: 'de' })).toContain('>Gerät ohne Namen<')
      expect(render({ devices: [device({ name })], locale: 'fr' })).toContain('>Appareil sans nom<')
    },
  )

  it('has every text in every language, with the same placeholders', () => {
    const values = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort()
    for (const language of [de, fr]) {
      expect(Object.keys(language)).toEqual(Object.keys(en))
      for (const [key, text] of Object.entries(en)) {
        const translated = language[key as keyof typeof en]
        expect(translated.trim(), key).not.toBe('')
        expect(values(translated), key).toEqual(values(text))
      }
    }
  })
})
