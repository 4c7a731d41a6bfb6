import type { OpenApiDocument } from '@quillgate/server/http'

interface Documented {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: unknown }>> }>
  >
}

/**
 * Checks a response against the OpenAPI document. Skips operations that are not in the document.
 */
export async function expectDocumented(
  document: OpenApiDocument,
  request: Request,
  response: Response,
): Promise<void> {
  const { pathname } = new URL(request.url)
  const path = Object.keys(document.paths).find((template) => fits(template, pathname))
  const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase()
  const operation = document.paths[path ?? '']?.[method] as Documented | undefined
  const where = `${request.method} ${pathname}: ${response.status}`
  if (!operation) return
  const documented = operation.responses[response.status]
  if (!documented) throw new Error(`${where} is not documented: ${await response.clone().text()}`)
  if (response.status < 400 || request.method === 'HEAD') return
  const { code } = (await response.clone().json()) as { code: string }
  const schema = JSON.stringify(documented.content?.['application/problem+json']?.schema)
  if (!schema?.includes(`"${code}"`)) throw new Error(`${where} ${code} is not documented`)
}

function fits(template: string, path: string): boolean {
  return template.endsWith('{path}')
    ? path.startsWith(template.slice(0, -'{path}'.length))
    : path === template
}
