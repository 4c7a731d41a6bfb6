import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseUserAgent } from '../../src/network/user-agent.ts'
import { SAMPLES } from './user-agents.ts'

describe('parseUserAgent', () => {
  it.each([
    [
      'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
      'Firefox on Linux',
      'Firefox 145',
      'desktop',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
      'Chrome on Windows',
      'Chrome 142',
      'desktop',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
      'Safari on iOS',
      'Safari 18',
      'mobile',
    ],
    [
      'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
      'Chrome on Android',
      'Chrome 142',
      'mobile',
    ],
    ['curl/8.5.0', 'curl', 'curl 8', null],
    ['my-app/2.1 (internal)', 'my-app', 'my-app 2', null],
    ['my-app', 'my-app', 'my-app', null],
    ['Mozilla/5.0', 'Unknown device', null, null],
  ])('reads %s', (header, name, browser, deviceType) => {
    expect(parseUserAgent(header)).toMatchObject({ userAgent: header, name, browser, deviceType })
  })

  it.each(SAMPLES.map(([expected, userAgent]) => ({ expected, userAgent })))(
    'reads $expected from $userAgent',
    ({ expected, userAgent }) => {
      const { name, browser, os, deviceType, ...rest } = parseUserAgent(userAgent)
      expect([name, browser, os, deviceType]).toEqual(expected)
      expect(rest).toEqual({ userAgent })
    },
  )

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
  ])('limits the length of its result for the hostile header %.40s', (userAgent) => {
    const info = parseUserAgent(userAgent)
    expect(info.userAgent.length).toBeLessThanOrEqual(512)
    for (const part of [info.name, info.browser, info.os, info.deviceType]) {
      expect((part ?? '').length).toBeLessThanOrEqual(140)
    }
  })

  it.each([null, '', '   '])('treats %j as an unknown device', (header) => {
    expect(parseUserAgent(header)).toEqual({
      userAgent: '',
      browser: null,
      os: null,
      deviceType: null,
      name: 'Unknown device',
    })
  })

  it('removes control and bidirectional characters', () => {
    const { userAgent, name, browser } = parseUserAgent('app\u009b31m/1.0 \u202emoc\u0007\u2028')
    expect(userAgent).toBe('app 31m/1.0  moc  ')
    for (const part of [name, browser]) expect(part).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
  })

  it('never throws and returns short texts, for any input', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: 'binary', maxLength: 2000 })),
        (header) => {
          const { userAgent, name, browser, os, deviceType } = parseUserAgent(header)
          expect(userAgent.length).toBeLessThanOrEqual(512)
          for (const part of [name, browser, os, deviceType])
            expect((part ?? '').length).toBeLessThanOrEqual(140)
          expect(userAgent).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
        },
      ),
      { numRuns: 300 },
    )
  })
})
