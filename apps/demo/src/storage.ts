import { join, resolve } from 'node:path'
import { localFiles, type Storage } from '@quillgate/markdown-editor'
import { s3FromUrl } from '@quillgate/storage/s3'
import type { Environment } from './environment.ts'

/** Where the demo keeps its media. */
export function mediaStorage({
  storageUrl,
  dataDirectory,
}: Pick<Environment, 'storageUrl' | 'dataDirectory'>): Storage {
  if (storageUrl === null) return localFiles(join(dataDirectory, 'media'))
  return fromUrl('QUILLGATE_STORAGE_URL', storageUrl)
}

/** Where its media go to when they move. */
export function copyTarget({ copyTo }: Pick<Environment, 'copyTo'>): Storage | null {
  if (copyTo === null) return null
  return copyTo.includes('://') ? fromUrl('QUILLGATE_COPY_TO', copyTo) : localFiles(resolve(copyTo))
}

// The value is not repeated: it may hold a secret key.
function fromUrl(variable: string, url: string): Storage {
  if (!url.startsWith('s3://'))
    throw new Error(`${variable} must be a URL such as s3://bucket?endpoint=https://….`)
  return s3FromUrl(url)
}
