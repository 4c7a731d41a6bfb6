import { type ClientAssets, createClientAssets } from '@quillgate/server/http'

/** The URLs of the scripts and stylesheets of the device list. They change with every build. */
export interface PageAssets {
  /** The URLs of module scripts. */
  readonly js: readonly string[]
  /** The URLs of stylesheets. */
  readonly css: readonly string[]
}

/** Opens the built files of the element `<trusted-devices>`. */
export function openClientFiles(): ClientAssets {
  return createClientAssets('@quillgate/trusted-devices-client', import.meta.url)
}

/** Returns the path under which the files are served. */
export function assetPrefix(basePath: string): string {
  return `${basePath}/assets/`
}

/** Returns the URLs that a page needs to show the device list. */
export function pageAssets(assets: ClientAssets, basePath: string): PageAssets {
  const base = `${assets.base(assetPrefix(basePath))}trusted-devices`
  return { js: [`${base}.js`], css: [`${base}.css`] }
}
