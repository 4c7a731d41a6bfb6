import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SHORTCUTS } from '../../packages/markdown-editor-element/src/toolbar/shortcuts.ts'

describe('the keyboard page', () => {
  const page = readFileSync(
    new URL('../../apps/docs/markdown-editor-keyboard.md', import.meta.url),
    'utf8',
  )

  it.each(SHORTCUTS.filter(([name]) => !/^heading-[2-5]$/.test(name)))(
    'lists the keys of %s: %s',
    (_name, keys) => {
      expect(page).toContain(`\`${keys}\``)
    },
  )
})
