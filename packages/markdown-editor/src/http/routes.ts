import {
  createEndpoints,
  type Endpoint,
  type FetchHandler,
  serveClientAssets,
} from '@quillgate/server/http'
import type { RouteDependencies } from './dependencies.ts'
import { createFinalizeRoute } from './finalize-route.ts'
import { createMediaRoute } from './media-route.ts'
import { createUploadRoute } from './upload-route.ts'

/** The endpoints, as adapters want them. */
export function createFetchHandler(deps: RouteDependencies): FetchHandler {
  const { basePath, settings, ready, cors, onUnexpected } = deps
  const endpoints: Endpoint[] = [
    { path: `${basePath}/upload`, methods: { POST: createUploadRoute(deps) } },
    { path: `${basePath}/finalize`, methods: { POST: createFinalizeRoute(deps) } },
    {
      path: `${basePath}/assets/*`,
      methods: { GET: serveClientAssets(deps.assets, `${basePath}/assets/`) },
      isStatic: true,
    },
    { path: `${settings.mediaUrl}*`, methods: { GET: createMediaRoute(deps) } },
  ]
  return createEndpoints({
    endpoints,
    paths: [`${basePath}/`, settings.mediaUrl],
    cors,
    ...(ready ? { ready } : {}),
    ...(onUnexpected ? { onUnexpected } : {}),
  })
}
