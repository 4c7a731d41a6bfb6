import type { AlertMail, AlertStrings } from '@quillgate/login-alerts'
import { ConfigurationError } from '@quillgate/server'
import { sqliteEngine } from '@quillgate/server/testing'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient } from '../../trusted-devices/test/support/client.ts'
import { createDevices } from '../../trusted-devices/test/support/create-devices.ts'
import type { Alert } from '../src/alert.ts'
import { createAlertLinks, timeOf } from '../src/link.ts'
import { alertContent } from '../src/mail/alert-content.ts'
import { createLanguages } from '../src/mail/alert-languages.ts'
import { plainName } from '../src/mail/names.ts'
import { mailHtml, mailText } from '../src/mail/render-mail.ts'
import { de } from '../src/mail/strings/de.ts'
import { en } from '../src/mail/strings/en.ts'
import { fr } from '../src/mail/strings/fr.ts'
import { createAlerts, type House, openHouse, sendAlerts, type TestAlertOptions } from './house.ts'
import { createMailbox } from './mailbox.ts'

const UID = '0195a1c4-1111-7222-8333-944444444444'

const eventWith = (
  details: Partial<Alert['details']>,
  kind: Alert['kind'] = 'new_device',
): Alert => ({
  eventId: UID,
  userId: '1',
  deviceUid: UID,
  kind,
  happenedAt: Date.UTC(2026, 2, 15, 12),
  details: {
    browser: null,
    os: null,
    city: null,
    country: null,
    previousCountries: [],
    reason: 'login',
    ...details,
  },
})

const contentOf = (lead: Alert, more: readonly Alert[] = [], locale = 'en') => {
  const links = {
    wasNotMe: 'https://h.example/a/1',
    devices: null,
    expiresAt: 0,
  }
  const context = {
    language: createLanguages()(locale),
    appName: 'Harbour & <Sons>',
    timeZone: 'UTC',
  }
  return alertContent(lead, more, links, context)
}

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    'Subject\r\nBcc: victim@example.com',
    'a\u2028Bcc: b@c',
    'Call us at https://evil.example/login now',
    'evil.example',
    'evil。example',
    'pay@evil.example',
    '\u202Egnp.exe',
    '{app}{subject}{count}',
    '&lt;b&gt;',
    'x'.repeat(10_000),
  ),
)

describe('the content of a mail', () => {
  it('is safe for all names of browsers, systems, cities and devices', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(
        hostile,
        hostile,
        fc.oneof(hostile, fc.constant('FR')),
        hostile,
        fc.constantFrom('new_device', 'compromised', 'new_country'),
        (browser, os, country, city, kind) => {
          const details = { browser, os, city, country, previousCountries: [country, 'DE'] }
          const lead = eventWith(details, kind as Alert['kind'])
          const content = contentOf(lead, [lead, lead])
          const [html, text] = [mailHtml(content), mailText(content)]
          expect(content.subject).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
          expect(content.subject.length).toBeLessThanOrEqual(400)
          for (const tag of html.match(/<[^>]*>/g) ?? []) {
            expect(tag).toMatch(
              /^<(!doctype html|\/?(html|head|body|meta|title|style|div|table|tr|td|th|h1|p|a|ul|li)\b)/,
            )
            expect(tag.replace(/"[^"]*"/g, '')).not.toMatch(/\son\w+\s*=|'/i)
          }
          expect(
            html
              .match(/https?:\/\/[^"<\s]*/g)
              ?.every((url) => url.startsWith('https://h.example/a/1')),
          ).toBe(true)
          expect(text).not.toMatch(/evil[.。]example|@evil/)
          expect(html).not.toMatch(/[\u202A-\u202E\u2066-\u2069]|\r|\0/)
          // Hostile text must not begin a line.
          expect(text).not.toMatch(/^Bcc:/m)
        },
      ),
      { numRuns: 150 },
    )
  })

  it.each([
    'URGENT: account locked. Call +1 800 555 0100',
    'URGENT account locked',
    'Call +1 800 555 0100',
    'call-18005550100',
    'Your account is locked 145',
    'Chrome. Call us 145',
    'ReplyWithYourPasswordToThisMail',
    'we-need-your-password',
    'Chrome 18005550100',
    'Внимание',
  ])('does not show a message as the name of a browser or system: %s', (said) => {
    const lead = eventWith({ browser: said, os: said })
    for (const kind of ['new_device', 'compromised'] as const) {
      const content = contentOf({ ...lead, kind }, [lead])
      expect(mailText(content)).not.toContain(said)
      expect(mailHtml(content)).not.toContain(said)
      expect(content.facts[0]).toEqual(['Device', 'Unknown browser'])
    }
    expect(contentOf(eventWith({ browser: said, os: 'Windows' })).subject).toBe(
      'New sign-in to Harbour & <Sons>: Unknown browser on Windows',
    )
  })

  it.each([
    [{ browser: 'Chrome 142', os: 'Windows' }, 'Chrome 142 on Windows'],
    [{ browser: 'Samsung Internet 28', os: 'Android' }, 'Samsung Internet 28 on Android'],
    [{ browser: 'Opera GX 120', os: 'PlayStation 4' }, 'Opera GX 120 on PlayStation 4'],
    [{ browser: 'my-app 2', os: null }, 'my-app 2'],
    [{ browser: null, os: 'Windows Phone' }, 'Windows Phone'],
    [{ browser: null, os: 'Call us' }, 'Unknown device'],
  ])('shows the names of browsers, systems and programs: %j', (details, shown) => {
    expect(contentOf(eventWith(details)).facts[0]?.[1]).toBe(shown)
  })

  it('shows a name as one short line without links', () => {
    fc.assert(
      fc.property(hostile, (name) => {
        const plain = plainName(name)
        expect([...plain].length).toBeLessThanOrEqual(60)
        expect(plain).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}@/\\:<>]/u)
        expect(plain).not.toMatch(/[\p{L}\p{N}]\.\p{L}/u)
        expect(plain.isWellFormed()).toBe(true)
      }),
    )
    expect(plainName('St. Gallen')).toBe('St. Gallen')
    expect(plainName('Firefox 145.0')).toBe('Firefox 145.0')
    expect(plainName('Zoë’s  phone')).toBe('Zoë’s phone')
  })

  it.each([
    ['FR', 'France'],
    ['Westland', 'Westland'],
    ['DEU', 'DEU'],
    ['276', '276'],
    ['///', 'unknown'],
  ])('shows the name of a country code, and other countries unchanged: %s', (country, shown) => {
    const lead = eventWith(
      { browser: 'Firefox 145', country, previousCountries: ['DE'] },
      'new_country',
    )
    expect(contentOf(lead).subject.toLowerCase()).toMatch(
      new RegExp(`from a new country: ${shown.toLowerCase()}$`),
    )
  })

  it('has the same content as text and as HTML', () => {
    const lead = eventWith(
      { browser: 'Firefox 145', os: 'Linux', country: 'FR', previousCountries: ['DE', 'JP'] },
      'new_country',
    )
    const content = contentOf(lead, [eventWith({ browser: 'Chrome 131', country: 'JP' })])
    const html = mailHtml(content)
      .replace(/<style>.*?<\/style>|<title>.*?<\/title>/gs, '')
      .replace(/<[^>]*>/g, ' ')
    const words = (text: string): string[] =>
      text
        .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
        .split(/[\s:]+/)
        .filter((word) => !/^(-+|https?|\/\/\S+)$/.test(word) && word !== '')
    const subject = words(content.subject)
    expect(words(html).slice(subject.length)).toEqual(words(mailText(content)))
    expect(mailHtml(content)).toContain('href="https://h.example/a/1"')
    expect(content.previously).toBe('Until now your devices were in: Germany and Japan.')
  })

  it('shows no image and loads nothing', () => {
    const html = mailHtml(contentOf(eventWith({})))
    expect(html).not.toMatch(
      /<(img|link|script|iframe|object|form|input|svg|video|audio)|url\(|@import|src=|background=/i,
    )
    expect(html).toContain('<meta name="color-scheme" content="light dark">')
  })
})

describe('languages', () => {
  const placeholders = (text: AlertStrings[keyof AlertStrings]): string[] =>
    [...JSON.stringify(text).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort()

  it.each([
    ['de', de],
    ['fr', fr],
  ])('%s has every text, with the placeholders of the English text', (_, texts) => {
    expect(Object.keys(texts)).toEqual(Object.keys(en))
    for (const [key, text] of Object.entries(texts)) {
      const original = en[key as keyof AlertStrings]
      expect(new Set(placeholders(text)), key).toEqual(
        new Set([...placeholders(original), ...(key === 'reported' ? ['count'] : [])]),
      )
      expect(text, key).not.toEqual(original)
    }
  })

  it('accepts other texts and further languages', () => {
    const find = createLanguages({ de: { ifYou: 'Ja, ich' }, nl: { ifYou: 'Dat was ik' } })
    expect(find('de-CH')).toMatchObject({
      locale: 'de-CH',
      strings: { ifYou: 'Ja, ich', wasNotMe: de.wasNotMe },
    })
    expect(find('nl').strings.ifYou).toBe('Dat was ik')
    expect(find('nl').strings.wasNotMe).toBe(en.wasNotMe)
    expect(find('ja')).toEqual({ locale: 'en', strings: en })
    expect(find('no such locale!').locale).toBe('en')
  })
})

describe('tokens of links', () => {
  it('contain the event, and are valid only for their key', () => {
    const links = createAlertLinks([Buffer.alloc(32, 1)])
    const other = createAlertLinks([Buffer.alloc(32, 2), Buffer.alloc(32, 3)])
    fc.assert(
      fc.property(fc.uuid(), (eventId) => {
        const token = links.issue(eventId)
        expect(links.parse(token)).toBe(eventId)
        expect(other.parse(token)).toBeNull()
      }),
    )
  })

  it('contain the time of the event', () => {
    expect(timeOf('0195a1c4-1111-7222-8333-944444444444')).toBe(0x0195a1c41111)
  })

  it('are rejected without a valid signature', () => {
    const links = createAlertLinks([Buffer.alloc(32, 1)])
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.base64String({ minLength: 60, maxLength: 70 })),
        (text) => links.parse(text) === null,
      ),
    )
  })
})

describe('options of alerts', () => {
  let house: House | null = null
  afterEach(async () => {
    await house?.close()
    house = null
  })
  const make =
    (alerts: unknown, more = {}) =>
    () => {
      const devices = createDevices({
        secret: 'a secret of at least thirty-two bytes',
        database: 'sqlite::memory:',
        users: { findById: () => null },
        ...more,
      })
      createAlerts(devices, alerts as TestAlertOptions)
      return devices
    }
  const good = createMailbox().options

  it.each([
    ['appName', { ...good, appName: 'Harbour\r\nBcc: a@b' }],
    ['appName', { ...good, appName: ' ' }],
    ['to', { ...good, to: 'ada@example.com' }],
    ['send', { ...good, send: undefined }],
    ['origin', { ...good, origin: undefined }],
    ['origin', { ...good, origin: 'https://harbour.example/path' }],
    ['locale', { ...good, locale: 'de' }],
    ['timeZone', { ...good, timeZone: 'Europe/Berlin' }],
    ['devicesUrl', { ...good, devicesUrl: 'javascript:alert(1)' }],
    ['strings.de.ifYu', { ...good, strings: { de: { ifYu: 'x' } } }],
    ['strings.de.more', { ...good, strings: { de: { more: 'x' } } }],
    ['strings', { ...good, strings: { 'no!': {} } }],
    ['subject', { ...good, subject: 'x' }],
  ])('checks %s at the start', (name, alerts) => {
    expect(make(alerts)).toThrow(ConfigurationError)
    expect(make(alerts)).toThrow(name)
  })

  it('needs no origin if publicOrigin is set', async () => {
    await make(
      { ...good, origin: undefined },
      { publicOrigin: 'https://harbour.example' },
    )().close()
  })

  it.each([
    'ada@example.com\r\nBcc: victim@example.com',
    'ada@example.com, eve@example.com',
    'Ada <ada@example.com>',
    'ada',
    '',
  ])('sends no mail to %j', async (address) => {
    const mails: AlertMail[] = []
    const errors: unknown[] = []
    const alerts = {
      ...good,
      hasHistory: true,
      to: () => address,
      send: (mail: AlertMail) => void mails.push(mail),
    }
    const logger = {
      warn: () => {},
      error: (_: unknown, error: unknown) => void errors.push(error),
    }
    house = await openHouse(sqliteEngine(), {}, { alerts, logger })
    await new BearerClient(house.devices).login()
    await sendAlerts(house.devices)
    expect(mails).toEqual([])
    expect(errors).toMatchObject([{ name: 'ConfigurationError' }])
  })
})
