import { type ClientAssets, createClientAssets } from '@quillgate/server/http'

/** The built client: the script and style sheet of widgets, and the parts that they load. */
export const clientAssets: ClientAssets = createClientAssets(
  '@quillgate/markdown-editor-element',
  import.meta.url,
)

/**
 * Returns where the files of this build are served, with a final slash.
 *
 * @param basePath - of the editor's endpoints
 */
export function assetBaseOf(basePath: string): string {
  return clientAssets.base(`${basePath}/assets/`)
}
