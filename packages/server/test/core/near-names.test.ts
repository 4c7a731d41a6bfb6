import { describe, expect, it } from 'vitest'
import { nearNames } from '../../src/core/near-names.ts'

const known = ['maxUploadSize', 'maxTextSize', 'uploadPath', 'tempUploadPath', 'theme', 'locale']

describe('nearNames', () => {
  it.each([
    ['maxUploadSiz', 'maxUploadSize'],
    ['MAX_UPLOAD_SIZE', 'maxUploadSize'],
    ['temp-upload-path', 'tempUploadPath'],
    ['uploadpath', 'uploadPath'],
    ['tehme', 'theme'],
  ])('finds for %j as the first name %j', (wrong, right) => {
    expect(nearNames(wrong, known)[0]).toBe(right)
  })

  it('finds nothing for a different, an empty or a very long name', () => {
    for (const wrong of ['renderer', '', '__proto__', 'x'.repeat(1_000_000)])
      expect(nearNames(wrong, known)).toEqual([])
  })
})
