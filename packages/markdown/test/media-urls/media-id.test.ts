import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMediaId, findMediaIds, isMediaId } from '../../src/media-urls/media-id.ts'

const id = 'm0123456789abcdefghjkmnpqrs'
const other = 'mzyxwvtsrqpnmkjhgfedcba9876'
const ids = fc
  .uint8Array({ minLength: 26, maxLength: 26 })
  .map((bytes) => createMediaId(() => bytes))

describe('createMediaId', () => {
  it('uses five bits of each byte', () => {
    expect(createMediaId((bytes) => new Uint8Array(bytes))).toBe(`m${'0'.repeat(26)}`)
    expect(createMediaId((bytes) => new Uint8Array(bytes).fill(255))).toBe(`m${'z'.repeat(26)}`)
    expect(createMediaId((bytes) => new Uint8Array(bytes).fill(1, 0, 1))).toBe(
      `m1${'0'.repeat(25)}`,
    )
  })

  it('returns different ids for different bits', () => {
    const bits = fc.bigInt({ min: 0n, max: 2n ** 130n - 1n })
    const toId = (value: bigint): string => {
      const bytes = Uint8Array.from({ length: 26 }, (_, index) =>
        Number((value >> BigInt(5 * index)) & 31n),
      )
      return createMediaId(() => bytes)
    }
    fc.assert(fc.property(bits, bits, (one, two) => (toId(one) === toId(two)) === (one === two)))
  })

  it('rejects a source with too few bytes', () => {
    expect(() => createMediaId((bytes) => new Uint8Array(bytes - 1))).toThrow(RangeError)
  })
})

describe('isMediaId', () => {
  it('is true for ids of createMediaId', () => {
    fc.assert(fc.property(ids, isMediaId))
  })

  it.each([
    id.toUpperCase(),
    id.slice(1),
    `${id}0`,
    `${id}\n`,
    ` ${id}`,
    id.replace('0', 'o'),
    id.replace('1', 'l'),
    id.replace('m', 'n'),
    '',
    null,
    [id],
  ])('is false for %j', (value) => {
    expect(isMediaId(value)).toBe(false)
  })
})

describe('findMediaIds', () => {
  it.each([
    ['a path', `![a](/media/md-editor/tmp/${id}-photo.png)`],
    ['code', `\`${id}\`\n\n    ${id}`],
    ['a comment', `<!--${id}-->`],
    ['before more letters', `${id}x`],
    ['a slash that is percent-encoded', `%2F${id}`],
    ['a slash that is percent-encoded twice', `%252f${id}`],
    ['an escape that encodes a letter', `%40${id} %61${id}`],
    ['JSON', JSON.stringify(`\n${id}\t${id}`)],
    ['JSON with escapes', `"\\u002f${id}"`],
    ['entities without their semicolon', `&#47${id} &#x2f${id}`],
    ['upper case', `/MEDIA/${id.toUpperCase()}-PHOTO.PNG`],
    ['a query of another site', `https://a.example/?u=%2Fmedia%2F${id}-a.png`],
    ['percent-encoding', `/media/%6d${id.slice(1, -1)}%73-a.png`],
    [
      'percent-encoding of all',
      [...id].map((character) => `%${character.charCodeAt(0).toString(16)}`).join(''),
    ],
    ['decimal entities', `/media/&#109;${id.slice(1, -1)}&#0115;-a.png`],
    ['hexadecimal entities', `/media/&#x6D;${id.slice(1, -1)}&#X000073;-a.png`],
    ['an entity for the percent sign', `/media/&#37;6d${id.slice(1)}`],
    ['an entity by name for the percent sign', `/media/&percnt;6d${id.slice(1)}`],
    ['a backslash before the percent sign', `/media/\\%6d${id.slice(1, -1)}\\%73`],
    [
      'entities without their semicolon within',
      `/media/${id.replace('9a', '&#57a').replace('fg', '&#x66g')}`,
    ],
    ['an entity of many zeros', `/media/&#${'0'.repeat(100)}109;${id.slice(1)}`],
    ['two lines, which a browser joins', `<img src="/media/${id.slice(0, 9)}\n${id.slice(9)}">`],
    ['two lines of a quote', `> <img src="/media/${id.slice(0, 9)}\n> ${id.slice(9)}">`],
    [
      'entities for what a browser drops',
      `/media/${id.slice(0, 5)}&Tab;${id.slice(5, 9)}&#10;${id.slice(9)}`,
    ],
  ])('finds an id in %s', (_name, text) => {
    expect(findMediaIds(text)).toEqual(new Set([id]))
  })

  it('finds several, each once', () => {
    expect(findMediaIds(`${id} ${other} ${id}`)).toEqual(new Set([id, other]))
  })

  it('finds nothing inside a longer word, where ids would overlap', () => {
    expect(findMediaIds(`x${id}x ${other}${other}`)).toEqual(new Set([other]))
    expect(findMediaIds('m0'.repeat(100_000)).size).toBe(1)
  })

  it('finds nothing in short text or text with other letters', () => {
    expect(
      findMediaIds(`${id.slice(0, -1)} ${id.replace('9', 'l')} ${id.replace('9', 'ſ')}`),
    ).toEqual(new Set())
  })

  it('finds every id in any surroundings', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        ids,
        fc.string({ unit: 'binary' }),
        (before, found, after) => {
          expect(findMediaIds(`${before} ${found}${after}`)).toContain(found)
        },
      ),
    )
  })
})
