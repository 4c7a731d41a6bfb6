/** The folder with the built script and style sheet, which the server of trusted devices serves. */
export const assetFolder: URL = new URL('../dist/client-assets/', import.meta.url)
