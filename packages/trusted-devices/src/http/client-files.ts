import { fileURLToPath } from 'node:url'
import { assetHash, type ClientAssets, createClientAssets } from '@quillgate/http'

/** URLs of what a page with the device list loads; they change with every build and are kept for good. */
export interface PageMedia {
  /** Module scripts. */
  readonly js: readonly string[]
  /** Stylesheets. */
  readonly css: readonly string[]
}

const DIRECTORY = fileURLToPath(new URL('../../dist/client-assets/', import.meta.url))

/** The built files of `<trusted-devices>`. */
export function openClientFiles(): ClientAssets {
  return createClientAssets(DIRECTORY, 'the trusted devices')
}

/** Where the files are served. */
export function assetPrefix(basePath: string): string {
  return `${basePath}/assets/`
}

/** The URLs for a page. */
export function pageMedia(assets: ClientAssets, basePath: string): PageMedia {
  const base = `${assetPrefix(basePath)}${assetHash(assets)}/trusted-devices`
  return { js: [`${base}.js`], css: [`${base}.css`] }
}
