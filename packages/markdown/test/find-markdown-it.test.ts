import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { findMarkdownIt } from '../src/node/peers.ts'

const failing = (message: string, code: string) => () => {
  throw Object.assign(new Error(message), { code })
}

describe('findMarkdownIt', () => {
  it('finds the installed markdown-it', () => {
    const Found = findMarkdownIt()
    expect(Found === null ? null : new Found().render('a')).toBe(new MarkdownIt().render('a'))
  })

  it('returns null if it is not installed', () => {
    expect(
      findMarkdownIt(
        failing("Cannot find module 'markdown-it'\nRequire stack:", 'MODULE_NOT_FOUND'),
      ),
    ).toBeNull()
  })

  it('does not hide a broken installation', () => {
    expect(() => findMarkdownIt(failing("Cannot find module 'mdurl'", 'MODULE_NOT_FOUND'))).toThrow(
      "'mdurl'",
    )
    expect(() => findMarkdownIt(failing('Unexpected token', 'ERR_X'))).toThrow('Unexpected token')
  })
})
