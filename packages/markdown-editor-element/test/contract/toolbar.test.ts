import { describe, expect, it } from 'vitest'
import { toCssLength } from '../../src/contract/attributes.ts'
import {
  DEFAULT_TOOLBAR,
  formatToolbar,
  isToolbarItem,
  parseToolbar,
  TOOLBAR_BUTTONS,
} from '../../src/contract/toolbar.ts'

describe('DEFAULT_TOOLBAR', () => {
  it('contains every button once, in eight groups', () => {
    expect(DEFAULT_TOOLBAR.filter((item) => item !== 'separator')).toEqual(TOOLBAR_BUTTONS)
    expect(DEFAULT_TOOLBAR.filter((item) => item === 'separator').length).toBe(7)
  })
})

describe('parseToolbar', () => {
  it('reads what formatToolbar writes', () => {
    expect(parseToolbar(formatToolbar(DEFAULT_TOOLBAR))).toEqual(DEFAULT_TOOLBAR)
    expect(parseToolbar(' bold\n|  what ')).toEqual(['bold', 'separator', 'what'])
    expect(parseToolbar('')).toEqual([])
  })
})

describe('isToolbarItem', () => {
  it('accepts only buttons and the separator', () => {
    expect(['bold', 'separator', 'redo'].every(isToolbarItem)).toBe(true)
    expect(['', '|', 'Bold', 'toString', null, 1].some(isToolbarItem)).toBe(false)
  })
})

describe('toCssLength', () => {
  it.each([
    ['300px', '300px'],
    [' 20rem ', '20rem'],
    ['50.5dvh', '50.5dvh'],
    ['0', '0'],
    [500, '500px'],
    [12.5, '12.5px'],
  ])('accepts %j', (value, length) => {
    expect(toCssLength(value)).toBe(length)
  })

  it.each([
    '',
    '300',
    'px',
    '1px;',
    '1px 1px',
    '-1px',
    '1%',
    'var(--x)',
    'auto',
    Number.NaN,
    -1,
    null,
    undefined,
    {},
  ])('rejects %j', (value) => {
    expect(toCssLength(value)).toBe(null)
  })
})
