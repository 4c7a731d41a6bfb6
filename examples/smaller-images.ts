import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { DefaultUploadHandler, type TransformUpload } from '@quillgate/markdown-editor'
import sharp from 'sharp'

/**
 * Reduces JPEG, PNG and WebP images to at most 2560 pixels per side. Does not change animated
 * images and other types.
 */
export class SmallerImages extends DefaultUploadHandler {
  readonly transform: TransformUpload = async (file) => {
    if (!['image/jpeg', 'image/png', 'image/webp'].includes(file.type)) return file
    const bytes = await buffer(file.body)
    const { pages = 1 } = await sharp(bytes).metadata()
    const isAnimatedPng = file.type === 'image/png' && bytes.includes('acTL') // its chunk
    if (pages > 1 || isAnimatedPng) return { type: file.type, body: Readable.from([bytes]) }
    const bounds = { width: 2560, height: 2560, fit: 'inside', withoutEnlargement: true } as const
    const image = sharp(bytes, { failOn: 'none' })
      .autoOrient()
      .resize(bounds)
      .timeout({ seconds: 30 })
    const { data, info } = await image.toBuffer({ resolveWithObject: true })
    return { type: file.type, body: Readable.from([data]), width: info.width, height: info.height }
  }
}
