import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { TOOLBAR_BUTTONS } from '../../src/contract/toolbar.ts'
import { DE } from '../../src/i18n/de.ts'
import { EN } from '../../src/i18n/en.ts'
import { EN_LAZY, lazyStrings } from '../../src/i18n/en-lazy.ts'
import { FR } from '../../src/i18n/fr.ts'
import { LOCALES, stringsFor } from '../../src/i18n/strings.ts'

const ENGLISH: Readonly<Record<string, unknown>> = { ...EN, ...EN_LAZY }
const CLIENT = fileURLToPath(new URL('../../src', import.meta.url))

/** Returns the texts of a language as pairs of a key, such as `buttons.bold`, and a text. */
function flat(words: object, prefix = ''): [string, unknown][] {
  return Object.entries(words).flatMap(([key, value]): [string, unknown][] =>
    typeof value === 'object' ? flat(value as object, `${prefix}${key}.`) : [[prefix + key, value]],
  )
}

describe.each([
  ['de', DE],
  ['fr', FR],
] as const)('the texts in %s', (tag, words) => {
  const english = new Map(flat(ENGLISH))
  const all = flat(words)

  it('are complete', () => {
    expect(all.map(([key]) => key).sort()).toEqual([...english.keys()].sort())
  })

  it('have the same parameters, and use each of them', () => {
    for (const [key, value] of all) {
      const other = english.get(key)
      expect([key, typeof value]).toEqual([key, typeof other])
      if (typeof value !== 'function' || typeof other !== 'function') continue
      expect([key, value.length]).toEqual([key, other.length])
      const given = Array.from({ length: other.length }, (_, index) => 7_321 + index)
      const text = String(value(...given))
      for (const number of given)
        expect(`${key}: ${text.replace(/[^\d]/g, '')}`).toContain(String(number))
    }
  })

  it('are not English by mistake', () => {
    const same = all
      .filter(([key, value]) => typeof value === 'string' && value === english.get(key))
      .map(([key]) => key)
    const allowed =
      /^(?:buttons\.(?:code|link|image|video|document)|linkText|helpMarkdown|sampleAddress|uploads|suggestions)$/
    expect(same.filter((key) => !allowed.test(key))).toEqual([])
  })

  it('use the white space and quotes of the language', () => {
    for (const [key, value] of all) {
      const text: unknown = typeof value === 'function' ? value('a', 'b', 'c') : value
      expect(`${key}: ${text}`).not.toMatch(/["']|\.\.\./)
      if (tag === 'fr')
        expect(`${text}`.replace(/https?:|[a-z]+: »/g, '')).not.toMatch(/[^\s][:;!?](?:\s|$)/)
    }
  })

  it('are used for that language, and for a region of it', async () => {
    for (const name of [tag, `${tag}-CH`, tag.toUpperCase()]) {
      expect(lazyStrings(await stringsFor(name))).toEqual(words)
    }
  })
})

describe('the texts of a language', () => {
  it('are English by default and for an unknown language', () => {
    expect(stringsFor('')).toEqual(EN)
    expect(lazyStrings(stringsFor('xx') as typeof EN)).toEqual(ENGLISH)
  })

  it('can be given in part, even for the buttons', async () => {
    LOCALES.set('nl', { write: 'Schrijven', close: 'Sluiten', buttons: { bold: 'Vet' } })
    try {
      const words = lazyStrings(await stringsFor('nl-BE'))
      expect([words.write, words.close, words.buttons.bold]).toEqual([
        'Schrijven',
        'Sluiten',
        'Vet',
      ])
      expect([words.preview, words.apply, words.buttons.italic]).toEqual([
        'Preview',
        'Apply',
        'Italic',
      ])
    } finally {
      LOCALES.delete('nl')
    }
  })

  it('name every button', () => {
    expect(Object.keys(EN.buttons).sort()).toEqual([...TOOLBAR_BUTTONS].sort())
  })

  it('are not repeated between the first script and the others', () => {
    expect(Object.keys(EN_LAZY).filter((key) => key in EN)).toEqual([])
  })

  it('are all used', () => {
    const code = sources()
      .map(([, text]) => withoutComments(text))
      .join('\n')
    // A text is used as `words.key`, as a destructured name, or with a computed key.
    const taken = [
      ...code.matchAll(/\{([^{}=]*)\}(?:\s*=|: (?:Pick<)?(?:EditorStrings|AllStrings))/g),
    ].map(([, names]) => names)
    const isUsed = (key: string): boolean =>
      new RegExp(`(?:words|strings|Strings\\([^)]*\\))\\.${key}\\b`).test(code) ||
      taken.some((names) => new RegExp(`\\b${key}\\b`).test(names ?? '')) ||
      (/^(?:write|split|preview)$/.test(key) && code.includes('strings[mode]'))
    expect(Object.keys(ENGLISH).filter((key) => !isUsed(key))).toEqual([])
  })

  it('are not literals in the code', () => {
    const found = sources().flatMap(([name, text]) =>
      [...withoutComments(text).matchAll(LITERAL)]
        .map(([, single = '', template = '']) => single || template)
        .filter(isSentence)
        .map((literal) => `${name}: ${literal}`),
    )
    // A warning in the console is for developers.
    expect(found).toEqual([
      'editor/read-settings.ts: is not a JSON object, so the preview uses the defaults.',
    ])
  })
})

const LITERAL = /'((?:\\.|[^'\\\n])*)'|`((?:\\.|[^`\\])*)`/g
// The texts of the languages, and texts that commands insert.
const NOT_FOR_USERS = /commands\/|i18n\/(?!load-part)/

/** Returns true if a literal is probably a text for users: a capitalized phrase or a sentence. */
function isSentence(literal: string): boolean {
  const text = literal.replace(/\$\{[^}]*\}/g, '')
  return (
    /^[A-Z][a-z]+(?: [a-z]+)+[.…]?$/.test(text) || /[a-z]{2,} [a-z]{2,} [a-z]{2,}[.…]$/.test(text)
  )
}

/** Removes comments and errors for programmers from a source. */
function withoutComments(text: string): string {
  return text
    .replace(/(^|\s)\/\*[\s\S]*?\*\//g, '$1')
    .replace(/(^|\s)\/\/.*$/gm, '$1')
    .replace(/new (?:Type|Range)?Error\((?:'[^']*'|`[^`]*`)/g, '')
}

function sources(): [string, string][] {
  return readdirSync(CLIENT, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !NOT_FOR_USERS.test(name.replaceAll('\\', '/')))
    .map((name) => [name, readFileSync(`${CLIENT}/${name}`, 'utf8')])
}
