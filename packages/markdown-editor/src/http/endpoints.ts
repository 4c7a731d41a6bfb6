import { serverError } from '@quillgate/server/core'
import { createEndpoints, type Endpoints } from '@quillgate/server/http'
import type { EndpointName } from '../markdown-editor.ts'
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

/** Returns the path of an endpoint. Throws 500 `unknown_endpoint`. */
export function endpointUrl(name: EndpointName, basePath: string): string {
  const plain = name.replace(/^web_markdown_widget:/, '')
  if (plain === 'upload' || plain === 'finalize') return `${basePath}/${plain}`
  const detail = `There is no endpoint ${JSON.stringify(name)}. The known names are upload and finalize.`
  throw serverError('unknown_endpoint', detail)
}
