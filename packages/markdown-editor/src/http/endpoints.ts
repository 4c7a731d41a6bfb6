import { createEndpoints, type Endpoints } from '@quillgate/server/http'
import type { RouteDependencies } from './access.ts'
import { finalizeEndpoint } from './finalize.ts'
import { mediaEndpoint } from './serve-media.ts'
import { uploadEndpoint } from './upload.ts'

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
    ...{ cors, ready, onUnexpected },
  })
}
