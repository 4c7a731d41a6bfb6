import type { OpenApiDocument } from '@quillgate/server/http'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { TestDevices } from './create-devices.ts'

interface Documented {
  readonly operationId: string
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, unknown>> }>
  >
}

interface Checker {
  readonly document: OpenApiDocument
  validator(path: string, method: string, status: string, type: string): ValidateFunction
}

/**
 * The responses that tests have received, each as `operationId status code`. For a success, the
 * code is `ok`.
 */
export const seenAnswers: Set<string> = new Set()

const checkers = new WeakMap<TestDevices, Checker>()
/**
 * The checkers by the text of their documents. They are cached, because compiling a validator takes
 * longer than most tests.
 */
const checkersByText = new Map<string, Checker>()

/** Fails if the status, content type, code or body of a response differs from the API document. */
export async function expectDocumented(
  devices: TestDevices,
  request: Request,
  response: Response,
): Promise<void> {
  const { pathname } = new URL(request.url)
  if (!pathname.startsWith(devices.url('list'))) return
  const checker = checkerOf(devices)
  const where = `${request.method} ${pathname}: ${response.status}`
  const path = Object.keys(checker.document.paths).find((template) => fits(template, pathname))
  const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase()
  const operation = path && (checker.document.paths[path]?.[method] as Documented | undefined)
  const type = response.headers.get('content-type') ?? ''
  const body: unknown = await bodyOf(response, type)
  if (!path || !operation) return expectNothing(where, request, response, body)
  const code = response.status < 400 ? 'ok' : String((body as { code?: unknown } | null)?.code)
  if (code === 'malformed_request') return // No endpoint receives such a request.
  const documented = operation.responses[response.status]
  if (!documented)
    throw new Error(
      `${where}: ${operation.operationId} has no such status: ${JSON.stringify(body)}`,
    )
  if (request.method !== 'HEAD')
    check(checker, where, { path, method, type, status: response.status, body, documented })
  seenAnswers.add(`${operation.operationId} ${response.status} ${code}`)
}

/**
 * Checks the response to an undocumented path. Allows a CORS preflight. An endpoint that an option
 * disables responds with 404 to all methods.
 */
function expectNothing(
  where: string,
  { method }: Request,
  { status }: Response,
  body: unknown,
): void {
  const code = String((body as { code?: unknown } | null)?.code)
  const isPreflight = method === 'OPTIONS' && status === 204
  const isNothing = ['not_found', 'method_not_allowed', 'malformed_request'].includes(code)
  if (isPreflight || isNothing || (method === 'HEAD' && (status === 404 || status === 405))) return
  throw new Error(`${where} ${code}: there is nothing of this in the API document.`)
}

interface Answered {
  readonly path: string
  readonly method: string
  readonly type: string
  readonly status: number
  readonly body: unknown
  readonly documented: Documented['responses'][string]
}

function check(
  checker: Checker,
  where: string,
  { path, method, type, status, body, documented }: Answered,
): void {
  if (!documented.content) {
    if (body !== null)
      throw new Error(`${where}: a body that is not documented: ${JSON.stringify(body)}`)
    return
  }
  const known = Object.keys(documented.content).find(
    (each) => each === type || type.startsWith(`${each};`),
  )
  if (!known) throw new Error(`${where}: content type ${type} is not documented`)
  const validate = checker.validator(path, method, String(status), known)
  if (!validate(body))
    throw new Error(`${where} ${JSON.stringify(body)}: ${JSON.stringify(validate.errors)}`)
}

async function bodyOf(response: Response, type: string): Promise<unknown> {
  const text = await response.clone().text()
  if (text === '') return null
  return /json\b/.test(type) ? JSON.parse(text) : text
}

function fits(template: string, path: string): boolean {
  const parts = template.split('/')
  const given = path.split('/')
  return (
    parts.length === given.length &&
    parts.every(
      (part, index) => part === given[index] || (/^\{.*\}$/.test(part) && given[index] !== ''),
    )
  )
}

function checkerOf(devices: TestDevices): Checker {
  const known = checkers.get(devices)
  if (known) return known
  const document = devices.openApi()
  const text = JSON.stringify(document)
  const checker = checkersByText.get(text) ?? createChecker(document)
  checkersByText.set(text, checker)
  checkers.set(devices, checker)
  return checker
}

function createChecker(document: OpenApiDocument): Checker {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'document')
  const compiled = new Map<string, ValidateFunction>()
  const pointerPart = (part: string): string =>
    encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
  return {
    document,
    validator(path, method, status, type) {
      const pointer = ['paths', path, method, 'responses', status, 'content', type, 'schema']
        .map(pointerPart)
        .join('/')
      const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `document#/${pointer}` })
      compiled.set(pointer, validate)
      return validate
    },
  }
}
