import { describe, expect, it } from 'vitest'
import { DefaultRenderer } from '../../src/index.ts'
import { createMediaUrls } from '../../src/media-urls/index.ts'

const id = 'm0123456789abcdefghjkmnpqrs'

describe('image size in a URL', () => {
  it('is not part of the file name', () => {
    const paths = { tempPath: 'md-editor/tmp/', uploadPath: 'md-editor/uploads/%Y/%m/' }
    const urls = createMediaUrls({ mediaUrl: '/media/', ...paths })
    expect(urls.parse(`/media/md-editor/tmp/${id}-640x360-photo.png`)).toMatchObject({
      id,
      name: 'photo.png',
      path: `md-editor/tmp/${id}-640x360-photo.png`,
    })
  })

  it('becomes width and height of a Markdown image, which loads lazily', () => {
    const renderer = new DefaultRenderer()
    const url = `/media/md-editor/tmp/${id}-640x360-photo.png`
    expect(renderer.render(`![a](${url})`).trim()).toBe(
      `<p><img src="${url}" alt="a" width="640" height="360" loading="lazy"></p>`,
    )
    expect(renderer.render('![a](/img/640x360-photo.png)')).not.toContain('width')
    expect(renderer.render(`![a](/media/${id}-photo.png)`)).not.toContain('width')
    expect(renderer.render(`![a](/media/${id}-0x360-photo.png)`)).not.toContain('width')
  })
})
