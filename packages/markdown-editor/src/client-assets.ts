import { fileURLToPath } from 'node:url'
import { assetHash, type ClientAssets, createClientAssets } from '@quillgate/server/http'

/** Where the build puts the client, seen from `src` and from `dist` alike. */
const CLIENT_DIRECTORY = fileURLToPath(new URL('../dist/client-assets/', import.meta.url))

/** The built client: the script and style sheet of widgets, and the parts that they load. */
export const clientAssets: ClientAssets = createClientAssets(
  CLIENT_DIRECTORY,
  'the markdown editor',
)

/**
 * Returns where the files of this build are served, with a final slash.
 *
 * @param basePath - of the editor's endpoints
 */
export function assetBaseOf(basePath: string): string {
  return `${basePath}/assets/${assetHash(clientAssets)}/`
}
