import {
  assetRoute,
  createEndpoints,
  createOpenApi,
  type Endpoints,
  type OpenApiDocument,
} from '@quillgate/server/http'
import type { RouteDependencies } from './dependencies.ts'
import { finalizeEndpoint } from './finalize-route.ts'
import { mediaEndpoint } from './media-route.ts'
import { uploadEndpoint } from './upload-route.ts'

/** The endpoints of the markdown editor. */
export interface EditorEndpoints extends Endpoints {
  /** Describes the endpoints. */
  openApi(): OpenApiDocument
}

/** Creates the endpoints of the markdown editor. */
export function createFetchHandler(deps: RouteDependencies): EditorEndpoints {
  const { basePath, settings, ready, cors, onUnexpected } = deps
  const endpoints = [uploadEndpoint(deps), finalizeEndpoint(deps), mediaEndpoint(deps)]
  const handler = createEndpoints({
    endpoints: [...endpoints, assetRoute(deps.assets, `${basePath}/assets/`)],
    paths: [`${basePath}/`, settings.mediaUrl],
    cors,
    ...(ready ? { ready } : {}),
    ...(onUnexpected ? { onUnexpected } : {}),
  })
  return {
    ...handler,
    openApi: () =>
      createOpenApi({
        title: 'Markdown editor',
        description: 'Files of markdown texts: uploaded, made permanent with the text, and served.',
        endpoints,
      }),
  }
}
