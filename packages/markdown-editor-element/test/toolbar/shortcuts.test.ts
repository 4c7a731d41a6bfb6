import { describe, expect, it } from 'vitest'
import { shortcutOf } from '../../src/toolbar/shortcuts.ts'

/** A key press with Alt that the browser reports as AltGr. */
const press = (key: string, code: string, mod: 'ctrlKey' | 'metaKey'): KeyboardEvent => {
  const event: Partial<KeyboardEvent> = {
    key,
    code,
    [mod]: true,
    altKey: true,
    getModifierState: (name) => name === 'AltGraph',
  }
  return event as KeyboardEvent
}

describe('a shortcut with Alt', () => {
  it('works on a Mac in Firefox, which reports Option as AltGr', () => {
    expect(shortcutOf(press('“', 'Digit2', 'metaKey'), true)).toBe('heading-2')
    expect(shortcutOf(press('π', 'KeyP', 'metaKey'), true)).toBe('modes')
  })

  it('is ignored on other devices while AltGr is pressed', () => {
    expect(shortcutOf(press('2', 'Digit2', 'ctrlKey'), false)).toBeNull()
    expect(shortcutOf(press('P', 'KeyP', 'ctrlKey'), false)).toBeNull()
  })
})
