import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { findHighlighter } from '../../src/node/find-highlighter.ts'

const real = createRequire(import.meta.url)

describe('findHighlighter', () => {
  it('loads nothing before the first code, and each module once', () => {
    const loaded: string[] = []
    const require = Object.assign(
      (name: string) => {
        loaded.push(name)
        return real(name) as unknown
      },
      { resolve: real.resolve },
    )
    const highlight = findHighlighter(['css', 'xml'], require)
    expect(loaded).toEqual([])
    expect(highlight?.('<a>', 'html')).toContain('hljs-tag')
    expect(highlight?.('a{}', 'css')).toContain('hljs-selector-tag')
    expect(loaded).toEqual([
      'highlight.js/lib/core',
      'highlight.js/lib/languages/css',
      'highlight.js/lib/languages/xml',
    ])
  })

  it.each(['html', 'klingon', '../core', 'css.js', ''])(
    'rejects the language %j and lists the available ones',
    (name) => {
      expect(() => findHighlighter(['css', name])).toThrow(TypeError)
      expect(() => findHighlighter(['css', name])).toThrow(
        /has no language .*\. Use one of .*: .*\bcss, .*\bxml\b/,
      )
    },
  )

  it('returns null if highlight.js is not installed, and does not hide a broken installation', () => {
    const failing = (code: string) => {
      const fail = () => {
        throw Object.assign(new Error(`failed: ${code}`), { code })
      }
      return Object.assign(fail, { resolve: fail as unknown as NodeJS.RequireResolve })
    }
    expect(findHighlighter(['css'], failing('MODULE_NOT_FOUND'))).toBeNull()
    expect(() => findHighlighter(['css'], failing('ERR_X'))).toThrow('failed')
  })
})
