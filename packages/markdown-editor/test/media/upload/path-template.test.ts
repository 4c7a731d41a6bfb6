import { describe, expect, it } from 'vitest'
import {
  expandPathTemplate,
  fixedPathPrefix,
  pathTemplateProblem,
} from '../../../src/types/path-template.ts'

describe('expandPathTemplate', () => {
  it('inserts the date in UTC, whatever the time zone of the process (F32)', () => {
    const lastSecond = Date.UTC(2026, 11, 31, 23, 59, 59)
    expect(expandPathTemplate('up/%Y/%m/%d/%H/', lastSecond)).toBe('up/2026/12/31/23/')
    expect(expandPathTemplate('up/%Y/%m/', lastSecond + 1000)).toBe('up/2027/01/')
    expect(expandPathTemplate('up/a-%Y%m/', lastSecond)).toBe('up/a-202612/')
    expect(expandPathTemplate('up/', lastSecond)).toBe('up/')
  })
})

describe('fixedPathPrefix', () => {
  it('ends before the first segment with a date', () => {
    expect(fixedPathPrefix('md-editor/uploads/%Y/%m/')).toBe('md-editor/uploads/')
    expect(fixedPathPrefix('up/a-%Y/b/')).toBe('up/')
    expect(fixedPathPrefix('up/')).toBe('up/')
    expect(fixedPathPrefix('%Y/')).toBe('')
  })
})

describe('pathTemplateProblem', () => {
  it('accepts valid paths', () => {
    for (const path of ['up/', 'up/%Y/%m/', 'загрузки/%Y/', 'a.b/c-d_e/%H/'])
      expect(pathTemplateProblem(path)).toBeNull()
  })

  it('requires a fixed first segment (F17)', () => {
    for (const path of ['%Y/', '%Y-up/', 'up-%Y/x/'])
      expect(pathTemplateProblem(path)).toContain('fixed segment')
  })

  it('accepts the known codes only', () => {
    for (const path of ['up/%y/', 'up/%B/', 'up/%%/', 'up/%/'])
      expect(pathTemplateProblem(path)).toContain('date codes')
  })

  it('rejects paths outside the folder (F9)', () => {
    for (const path of [
      '../up/',
      'up/../x/',
      './up/',
      '/up/',
      'up//x/',
      'up',
      'up\\x/',
      'u p/',
      '.up/',
    ]) {
      expect(pathTemplateProblem(path)).toContain('relative folder')
    }
  })
})
