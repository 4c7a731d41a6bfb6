import { join } from 'node:path'
import { localFiles, type Storage } from '@quillgate/markdown-editor'
import { s3FromUrl } from '@quillgate/storage/s3'
import type { Environment } from './environment.ts'

export function mediaStorage({
  storageUrl,
  dataDirectory,
}: Pick<Environment, 'storageUrl' | 'dataDirectory'>): Storage {
  if (storageUrl === null) return localFiles(join(dataDirectory, 'media'))
  return fromUrl('QUILLGATE_STORAGE_URL', storageUrl)
}

// The error does not contain the URL, because the URL can contain a secret key.
function fromUrl(variable: string, url: string): Storage {
  if (!url.startsWith('s3://'))
    throw new Error(`${variable} must be a URL such as s3://bucket?endpoint=https://….`)
  return s3FromUrl(url)
}
