import { createEndpoints, type Endpoints } from '@quillgate/server/http'
import type { RouteDependencies } from './dependencies.ts'
import { finalizeEndpoint } from './finalize-route.ts'
import { mediaEndpoint } from './media-route.ts'
import { uploadEndpoint } from './upload-route.ts'

/** Creates the endpoints of the markdown editor. */
export function createEditorEndpoints(deps: RouteDependencies): Endpoints {
  const { assets, basePath, settings, ready, cors, onUnexpected } = deps
  return createEndpoints({
    endpoints: [
      uploadEndpoint(deps),
      finalizeEndpoint(deps),
      mediaEndpoint(deps),
      assets.route(`${basePath}/assets/`),
    ],
    paths: [`${basePath}/`, settings.mediaUrl],
    cors,
    ...(ready ? { ready } : {}),
    ...(onUnexpected ? { onUnexpected } : {}),
  })
}
