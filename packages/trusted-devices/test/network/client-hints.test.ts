import { sqliteEngine } from '@quillgate/server/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readClientHints } from '../../src/network/client-hints.ts'
import { parseStringList } from '../../src/network/structured-field.ts'
import { readUserAgent } from '../../src/network/user-agent.ts'
import { openHouse } from '../support/house.ts'
import { SAMPLES } from './user-agents.ts'

const HINTS = ['', '-mobile', '-platform', '-platform-version', '-model', '-full-version-list']

function toHeaders(userAgent: string, hints: Readonly<Record<string, string>> = {}): Headers {
  const headers = new Headers({ 'user-agent': userAgent })
  for (const [name, value] of Object.entries(hints)) headers.set(`sec-ch-ua${name}`, value)
  return headers
}

describe('readUserAgent', () => {
  it.each(SAMPLES.map(([expected, userAgent, hints]) => ({ expected, userAgent, hints })))(
    'reads $expected of $userAgent',
    ({ expected, userAgent, hints }) => {
      const { name, browser, os, deviceType, ...rest } = readUserAgent(toHeaders(userAgent, hints))
      expect([name, browser, os, deviceType]).toEqual(expected)
      expect(rest).toEqual({ userAgent })
    },
  )

  it('has many of them to read', () => {
    expect(SAMPLES.length).toBeGreaterThanOrEqual(60)
  })

  it('takes brands from the full versions where there is nothing else', () => {
    const list =
      '"Chromium";v="142.0.7444.60", "Brave";v="142.1.84.132", "(Not(A:Brand";v="99.0.0.0"'
    const userAgent =
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'
    expect(readUserAgent(toHeaders(userAgent, { '-full-version-list': list })).browser).toBe(
      'Brave 142',
    )
  })

  it.each([
    'x'.repeat(1_000_000),
    'Mozilla/5.0 ('.repeat(100_000),
    `Mozilla/5.0 (${';'.repeat(500_000)}`,
    `${' '.repeat(500_000)}Chrome/1`,
    `${'Version/'.repeat(60)}Safari`,
    `Mozilla/5.0 ${'1.'.repeat(250)}Safari/`,
    `${'a'.repeat(250)}/${'1'.repeat(250)} Mobile`,
    `${'Linux; Android '.repeat(34)}`,
    `${'((((((((('.repeat(50)}Trident/7.0; rv:`,
    'CFNetwork/'.repeat(50),
    'opr/opr/opr/opr/version/'.repeat(20),
  ])('is done with the hostile header %.40s', (userAgent) => {
    const info = readUserAgent(toHeaders(userAgent))
    expect(info.userAgent.length).toBeLessThanOrEqual(512)
    for (const part of [info.name, info.browser, info.os, info.deviceType]) {
      expect((part ?? '').length).toBeLessThanOrEqual(140)
    }
  })

  it('reads any headers', () => {
    const value = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'"\\;=, ?01v.abN_(Chrome'), maxLength: 200 }),
      fc.string({ unit: 'binary-ascii', maxLength: 60 }),
    )
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 7, maxLength: 7 }),
        ([userAgent = '', ...values]) => {
          const clean = (text: string): string => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, ' ')
          const hints = Object.fromEntries(
            HINTS.map((name, index) => [name, clean(values[index] ?? '')]),
          )
          const { name, browser, os } = readUserAgent(toHeaders(clean(userAgent), hints))
          for (const part of [name, browser, os]) {
            expect((part ?? '').length).toBeLessThanOrEqual(140)
            expect(part ?? '').not.toMatch(/\p{Cc}/u)
          }
        },
      ),
      { numRuns: 500 },
    )
  })
})

describe('client hints', () => {
  const NOTHING = { browser: null, os: null, model: null, isMobile: null }

  it.each([
    '"Not_A Brand";v="99"',
    '" Not A;Brand";v="99"',
    '"Not=A?Brand";v="24"',
    '"(Not(A:Brand";v="8"',
    '"Not/A)Brand";v="8"',
    '"Not;A=Brand";v="8"',
    '"Not?A_Brand";v="24"',
    '"Not:A-Brand";v="99"',
  ])('a brand that does not exist is none: %s', (brand) => {
    const read = (list: string) => readClientHints(new Headers({ 'sec-ch-ua': list })).browser
    expect(read(brand)).toBeNull()
    expect(read(`${brand}, "Chromium";v="142", "Google Chrome";v="142"`)).toEqual({
      name: 'Chrome',
      version: '142',
    })
  })

  it.each([
    ['sec-ch-ua', 'Chrome'],
    ['sec-ch-ua', '"Chrome'],
    ['sec-ch-ua', '"Chrome";v'],
    ['sec-ch-ua', '"Chrome",'],
    ['sec-ch-ua', '"Chrome";'],
    ['sec-ch-ua', '"Chrome";v='],
    ['sec-ch-ua', '"Chrome";v="1'],
    ['sec-ch-ua', '"Chr\\ome"'],
    ['sec-ch-ua', '"Chr\u00e9me"'],
    ['sec-ch-ua', '""'],
    ['sec-ch-ua', `"${'x'.repeat(1_000_000)}"`],
    ['sec-ch-ua', Array(50_000).fill('"a";v="1"').join(', ')],
    ['sec-ch-ua', `"a"${';v="1"'.repeat(200_000)}`],
    ['sec-ch-ua', Array(33).fill('"a";v="1"').join(', ')],
    ['sec-ch-ua-platform', 'Windows'],
    ['sec-ch-ua-platform', '"Windows", "Linux"'],
    ['sec-ch-ua-platform', '"constructor"'],
    ['sec-ch-ua-platform', '"TempleOS"'],
    ['sec-ch-ua-mobile', '1'],
    ['sec-ch-ua-mobile', '?2'],
    ['sec-ch-ua-model', '"   "'],
    ['sec-ch-ua-model', '\\'.repeat(100_000)],
  ])('%s: %.50s says nothing', (name, value) => {
    const hints = readClientHints(new Headers({ [name]: value }))
    if (value === '"Chrome";v') expect(hints.browser).toEqual({ name: 'Chrome', version: '' })
    else expect(hints).toEqual(NOTHING)
  })

  it('reads lists with escapes, blanks and parameters of every kind', () => {
    const list = parseStringList(' "a \\"b\\" \\\\c" ;v="1" ; x=2.5;y=?1;z ,\t"d";v=token')
    expect(list?.map(({ value, parameters }) => [value, [...parameters]])).toEqual([
      ['a "b" \\c', [['v', '1']]],
      ['d', []],
    ])
  })

  it('reads back what it is given, whatever the text', () => {
    const text = fc.string({
      unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
      maxLength: 50,
    })
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 5 }), (brands) => {
        const quote = (value: string): string => `"${value.replace(/["\\]/g, '\\$&')}"`
        const field = brands
          .map(([name, version]) => `${quote(name)};v=${quote(version)}`)
          .join(', ')
        const read = parseStringList(field)?.map(({ value, parameters }) => [
          value,
          parameters.get('v'),
        ])
        expect(read).toEqual(brands)
      }),
    )
  })

  it('are asked for by the headers of the login page, and name the device', async () => {
    const house = await openHouse(sqliteEngine())
    const { devices } = house
    expect([...devices.clientHints]).toEqual([
      ['accept-ch', 'Sec-CH-UA-Platform-Version, Sec-CH-UA-Model'],
    ])
    devices.clientHints.set('accept-ch', 'all')
    expect(devices.clientHints.get('accept-ch')).not.toBe('all')
    const [, userAgent, hints = {}] = SAMPLES[0] ?? []
    const request = new Request('http://localhost/login', {
      headers: toHeaders(userAgent ?? '', hints),
    })
    const { device } = await devices.login({ id: '1' }, { request }, { transport: 'cookie' })
    expect(device).toMatchObject({
      name: 'Chrome on Windows 11',
      os: 'Windows 11',
      browser: 'Chrome 142',
      userAgent,
    })
    await house.close()
  })
})
