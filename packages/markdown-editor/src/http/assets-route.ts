import { notFound, type RequestContext } from '@quillgate/http'
import type { RouteDependencies } from './dependencies.ts'

// For the Worker of the preview, which has the policy of its own script, and not that of the page.
const POLICY = "default-src 'none'; script-src 'self'"

/** `GET …/assets/{hash}/{name}`: the files of the client; their URLs change with their content. */
export function createAssetsRoute(deps: RouteDependencies): (context: RequestContext) => Promise<Response> {
  const prefix = `${deps.basePath}/assets/`
  return async ({ request }) => {
    const [hash = '', name = '', ...more] = new URL(request.url).pathname.slice(prefix.length).split('/')
    const asset = more.length === 0 ? await deps.assets.find(hash, name) : null
    if (!asset) throw notFound('This build of the client has no such file.')
    const headers = {
      'content-type': asset.type,
      'content-length': String(asset.bytes.byteLength),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': POLICY,
    }
    return new Response(request.method === 'HEAD' ? null : asset.bytes, { headers })
  }
}
