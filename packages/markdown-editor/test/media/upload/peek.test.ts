import { describe, expect, it } from 'vitest'
import { peek } from '../../../src/media/upload/peek.ts'

async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

const read = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  let text = ''
  for await (const chunk of body) text += Buffer.from(chunk).toString()
  return text
}

describe('peek', () => {
  it.each([
    [['abcdef'], 'abcd', false],
    [['ab', 'cd', 'ef'], 'abcd', false],
    [['ab', 'cd'], 'abcd', true],
    [['ab'], 'ab', true],
    [['', 'a', ''], 'a', true],
    [[], '', true],
  ])('returns the beginning of %j, and a body with all bytes', async (texts, head, whole) => {
    const peeked = await peek(pieces(...texts), 4)
    expect(Buffer.from(peeked.head).toString()).toBe(head)
    expect(peeked.whole).toBe(whole)
    expect(await read(peeked.body)).toBe(texts.join(''))
  })

  it('reads no more than necessary', async () => {
    let taken = 0
    const endless = (async function* () {
      for (;;) {
        taken++
        yield Buffer.from('abc')
      }
    })()
    await peek(endless, 4)
    expect(taken).toBe(2)
  })

  it('passes on errors at the beginning and later', async () => {
    const failing = (after: readonly string[]) =>
      (async function* () {
        for (const text of after) yield Buffer.from(text)
        throw new Error('gone')
      })()
    await expect(peek(failing(['a']), 4)).rejects.toThrow('gone')
    const peeked = await peek(failing(['abcdef']), 4)
    await expect(read(peeked.body)).rejects.toThrow('gone')
  })
})
