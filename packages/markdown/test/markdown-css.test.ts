import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { transformSync } from 'esbuild'
import { describe, expect, it } from 'vitest'

const css = readFileSync(new URL('../markdown.css', import.meta.url), 'utf8')

/** See https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(hex: string): number {
  const full = hex.length === 4 ? hex.replace(/[\da-f]/gi, '$&$&') : hex
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(full.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light! + 0.05) / (dark! + 0.05)
}

type Pair = readonly [light: string, dark: string]
const pairs = (source: string, property: string): Pair[] =>
  [
    ...source.matchAll(
      new RegExp(`(?<![-\\w])${property}:[^;]*?light-dark\\((#\\w+), (#\\w+)\\)`, 'g'),
    ),
  ].map(([, light, dark]) => [light!, dark!])
const schemes = [
  [0, '#ffffff', 'light'],
  [1, '#16181d', 'dark'],
] as const

describe('markdown.css', () => {
  const [codeBackground] = pairs(css, '--_code-background') as [Pair]
  const [codeText] = pairs(css, '--_code-text') as [Pair]
  const rules = [...css.matchAll(/\n {2}&\s+(:is\(\s*\.hljs[^{]*|\.hljs[^{]*)\{([^}]*)\}/g)]

  it.each(schemes)('has a contrast of 4.5:1 for all highlighted code (%i, %s, %s)', (scheme) => {
    expect(contrast(codeText[scheme], codeBackground[scheme])).toBeGreaterThan(7)
    const colored = rules.filter(([, , rule]) => pairs(rule!, 'color').length > 0)
    expect(colored).toHaveLength(css.match(/light-dark/g)!.length - 10 - 2)
    for (const [, selector, rule] of colored) {
      const [background = codeBackground] = pairs(rule!, 'background')
      const [color] = pairs(rule!, 'color') as [Pair]
      expect(contrast(color[scheme], background[scheme]), selector).toBeGreaterThanOrEqual(4.5)
    }
  })

  it.each(schemes)(
    'has a contrast of 4.5:1 for the titles of alerts and for marks (%i, %s, %s)',
    (scheme, page) => {
      const alerts = pairs(css, '--_alert')
      expect(alerts).toHaveLength(5)
      const [sign] = pairs(css.slice(css.indexOf('.markdown-alert-title {')), 'color') as [Pair]
      for (const alert of alerts) {
        expect(
          contrast(alert[scheme], mix(alert[scheme], page, 0.07)),
          alert[scheme],
        ).toBeGreaterThanOrEqual(4.5)
        expect(contrast(alert[scheme], sign[scheme]), alert[scheme]).toBeGreaterThanOrEqual(4.5)
      }
      const mark = css.slice(css.indexOf('& mark {'))
      const [[background], [color]] = [pairs(mark, 'background'), pairs(mark, 'color')] as [
        [Pair],
        [Pair],
      ]
      expect(contrast(color[scheme], background[scheme])).toBeGreaterThanOrEqual(4.5)
    },
  )

  it('loads nothing: renders completely under a policy without images and fonts', () => {
    expect(css).not.toMatch(/url\(|@import|@font-face/)
  })

  it('is small', () => {
    expect(gzipSync(transformSync(css, { loader: 'css', minify: true }).code).length).toBeLessThan(
      3000,
    )
  })
})

function mix(color: string, page: string, part: number): string {
  const bytes = [1, 3, 5].map((at) => {
    const [one, other] = [color, page].map((hex) => Number.parseInt(hex.slice(at, at + 2), 16)) as [
      number,
      number,
    ]
    return Math.round(one * part + other * (1 - part))
  })
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
