import type { GateParts } from '@quillgate/server'
import { serverError } from '@quillgate/server/core'
import {
  type ClientAssets,
  createEndpoints,
  type Endpoint,
  type Endpoints,
} from '@quillgate/server/http'
import { logUnexpected } from '../errors.ts'
import type { EndpointName } from '../markdown-editor.ts'
import type { MediaServices } from '../media/services.ts'
import type { EditorConfiguration } from '../options.ts'
import type { EditorAccess } from './access.ts'
import { finalizeEndpoint } from './finalize.ts'
import { mediaEndpoint } from './serve-media.ts'
import { uploadEndpoint } from './upload.ts'

/** Creates the endpoints of the markdown editor. */
export function createEditorEndpoints(
  { basePath, delivery }: Pick<EditorConfiguration, 'basePath' | 'delivery'>,
  access: EditorAccess,
  media: MediaServices,
  assets: ClientAssets,
  { cors, ready }: { readonly cors: GateParts['cors']; ready(): Promise<void> },
): Endpoints {
  const underBasePath = [uploadEndpoint(access, media), finalizeEndpoint(access, media)].map(
    (endpoint): Endpoint => ({ ...endpoint, path: basePath + endpoint.path }),
  )
  return createEndpoints({
    endpoints: [
      ...underBasePath,
      mediaEndpoint(access, media, delivery),
      assets.route(`${basePath}/assets/`),
    ],
    paths: [`${basePath}/`, media.settings.mediaUrl],
    ...{ cors, ready },
    onUnexpected: (error) => logUnexpected(media.logger, error),
  })
}

/** Returns the path of an endpoint. Throws 500 `unknown_endpoint`. */
export function endpointUrl(name: EndpointName, basePath: string): string {
  const plain = name.replace(/^web_markdown_widget:/, '')
  if (plain === 'upload' || plain === 'finalize') return `${basePath}/${plain}`
  const detail = `There is no endpoint ${JSON.stringify(name)}. The known names are upload and finalize.`
  throw serverError('unknown_endpoint', detail)
}
