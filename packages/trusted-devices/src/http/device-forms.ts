import type { Quillgate } from '@quillgate/server'
import { checks, type Input, optional, parse, required } from '@quillgate/server/core'
import type { RequestContext } from '@quillgate/server/http'
import type { DeviceListProblem } from '@quillgate/trusted-devices-client/list'
import type { EndpointUrl } from './paths.ts'

const OPTIONS = {
  /** The path that was passed to `renderDeviceList` as `action`. */
  action: required(checks.matching(/^/, 'must be a path such as "/devices"')),
  /**
   * The form fields from the application's body parser. With Express, the value is undefined if
   * there is no body.
   */
  fields: optional(checks.anything<Readonly<Record<string, unknown>>>()),
}

/** The options of {@link submitDeviceForm}. */
export type DeviceFormOptions = Input<typeof OPTIONS>

/** The result of a submitted form. */
export interface DeviceFormResult {
  /**
   * Null if the form succeeded. In this case, redirect (303) to the list. Otherwise, show the list
   * again with this problem.
   */
  readonly problem: DeviceListProblem | null
  /** The HTTP status to respond with: 303 if there is no problem. */
  readonly status: number
}

/**
 * Processes a form of `renderDeviceList`. Calls the JSON endpoints, so that the same checks apply:
 * authentication, the CSRF token (field `csrf_token`), permissions, and the password (field
 * `password`, after `step_up_required`).
 *
 * @throws ConfigurationError for wrong options
 *
 * @example
 * app.post('/devices/*path', express.urlencoded(), async (request, response) => {
 *   const { problem, status } = await submitDeviceForm(devices, request, {
 *     action: '/devices', fields: request.body,
 *   })
 *   if (!problem) return response.redirect(303, '/devices')
 *   response.status(status).send(await devicesPage(request, problem))
 * })
 */
export async function submitDeviceForm(
  devices: { readonly gate: Quillgate; readonly url: EndpointUrl },
  request: unknown,
  options: DeviceFormOptions,
): Promise<DeviceFormResult> {
  const { components, contexts } = devices.gate.parts
  const context = contexts.of(request, 'submitDeviceForm')
  const { action, fields } = parse(OPTIONS, options, 'submitDeviceForm')
  const path = new URL(context.request.url).pathname.slice(action.length + 1)
  const texts = textsOf(fields)
  const call = readCall(devices, path, texts)
  const notFound = { code: 'not_found', detail: 'There is no such form.' }
  if (!call) return { problem: notFound, status: 404 }
  const send = (each: Call): Promise<Response> =>
    components.respond(
      contexts.open(asRequest(context, each, texts), context, { cookies: context.cookies }),
    )
  const password = texts['password']
  if (password !== undefined) {
    const url = devices.url('reauthenticate')
    const proof = await send({ method: 'POST', url, body: { password } })
    if (!proof.ok) return refusal(proof, { path, fields: texts })
  }
  const response = await send(call)
  if (response.ok) return { problem: null, status: 303 }
  return refusal(response, { path, fields: texts })
}

interface Call {
  readonly method: string
  readonly url: string
  readonly body?: unknown
}

function readCall(
  devices: { readonly url: EndpointUrl },
  path: string,
  fields: Readonly<Record<string, string>>,
): Call | null {
  if (path === 'revoke-all') {
    const body = { keep_current: fields['keep_current'] === 'true' }
    return { method: 'POST', url: devices.url('revokeAll'), body }
  }
  const [, uid, operation] = /^([^/]+)\/(rename|revoke)$/.exec(path) ?? []
  if (uid === undefined) return null
  const url = devices.url('device', { uid })
  return operation === 'revoke'
    ? { method: 'DELETE', url }
    : { method: 'PATCH', url, body: { name: fields['name'] ?? '' } }
}

/** Creates the request that a script in the page would send. */
function asRequest(
  { request }: RequestContext,
  { method, url, body }: Call,
  fields: Readonly<Record<string, string>>,
): Request {
  const headers = new Headers(request.headers)
  for (const name of ['content-type', 'content-length', 'content-encoding', 'transfer-encoding'])
    headers.delete(name)
  headers.delete('x-csrf-token')
  const token = fields['csrf_token']
  if (token !== undefined && /^[\x21-\x7e]*$/.test(token)) headers.set('x-csrf-token', token)
  if (body !== undefined) headers.set('content-type', 'application/json')
  const content = body === undefined ? {} : { body: JSON.stringify(body) }
  return new Request(new URL(url, request.url), { method, headers, ...content })
}

function textsOf(fields: DeviceFormOptions['fields']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  )
}

async function refusal(
  response: Response,
  again: NonNullable<DeviceListProblem['again']>,
): Promise<DeviceFormResult> {
  const { code, detail } = (await response.json()) as { code: string; detail: string }
  const seconds = Number(response.headers.get('retry-after'))
  const wantsPassword = code === 'step_up_required' || code === 'invalid_credentials'
  return {
    status: response.status,
    problem: {
      code,
      detail,
      ...(seconds > 0 ? { seconds } : {}),
      ...(wantsPassword ? { again } : {}),
    },
  }
}
