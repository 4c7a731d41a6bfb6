import { expect, it } from 'vitest'
import { withDimensions } from '../../src/media/ledger/medium.ts'

it('puts the image size before the file name, if it is known', () => {
  const size = { width: 640, height: 360 }
  expect(withDimensions('md-editor/tmp/m0-my-photo.png', size)).toBe(
    'md-editor/tmp/m0-640x360-my-photo.png',
  )
  expect(withDimensions('tmp/m0-a.png', { width: null, height: null })).toBe('tmp/m0-a.png')
})
