/** The folder with the built scripts and style sheets, which the server of the editor serves. */
export const assetFolder: URL = new URL('../../dist/client-assets/', import.meta.url)
