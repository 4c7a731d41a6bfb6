import { assetRoute, createEndpoints, type FetchHandler, type Route } from '@quillgate/server/http'
import type { RouteDependencies } from './dependencies.ts'
import { createFinalizeRoute } from './finalize-route.ts'
import { createMediaRoute } from './media-route.ts'
import { createUploadRoute } from './upload-route.ts'

/** The endpoints, as adapters want them. */
export function createFetchHandler(deps: RouteDependencies): FetchHandler {
  const { basePath, settings, ready, cors, onUnexpected } = deps
  const endpoints: Route[] = [
    { method: 'POST', path: `${basePath}/upload`, respond: createUploadRoute(deps) },
    { method: 'POST', path: `${basePath}/finalize`, respond: createFinalizeRoute(deps) },
    assetRoute(deps.assets, `${basePath}/assets/`),
    { method: 'GET', path: `${settings.mediaUrl}*`, respond: createMediaRoute(deps) },
  ]
  return createEndpoints({
    endpoints,
    paths: [`${basePath}/`, settings.mediaUrl],
    cors,
    ...(ready ? { ready } : {}),
    ...(onUnexpected ? { onUnexpected } : {}),
  })
}
