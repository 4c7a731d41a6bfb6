import { type ClientAssets, createClientAssets } from '@quillgate/server/http'

/** URLs of the files of the device list, for a page. They change with every build. */
export interface PageAssets {
  /** Module scripts. */
  readonly js: readonly string[]
  /** Stylesheets. */
  readonly css: readonly string[]
}

/** The built files of `<trusted-devices>`. */
export function openClientFiles(): ClientAssets {
  return createClientAssets('@quillgate/trusted-devices-client', import.meta.url)
}

/** Returns the path under which the files are served. */
export function assetPrefix(basePath: string): string {
  return `${basePath}/assets/`
}

/** The URLs for a page. */
export function pageAssets(assets: ClientAssets, basePath: string): PageAssets {
  const base = `${assets.base(assetPrefix(basePath))}trusted-devices`
  return { js: [`${base}.js`], css: [`${base}.css`] }
}
