import { isQuillgateError } from '../core/errors.ts'
import type { RequestContext } from './context.ts'
import { problemResponse } from './problem.ts'

/** What a guard's check gives when it lets a request through. */
export interface GuardResult {
  /** They are appended to the answer, for example a renewed session cookie. */
  readonly headers?: Headers
}

/** Looks at a request before its handler: throws a `QuillgateError`, or gives what the handler may want to know. */
export type GuardCheck<Result extends GuardResult> = (
  context: RequestContext,
) => Result | Promise<Result>

/**
 * Puts a check in front of a fetch handler. What the check throws becomes the answer, as problem details; an error that
 * is none of ours is thrown on, and the handler does not run.
 *
 * @example
 * export const POST = guardFetch(
 *   (context) => devices.requireTrusted(context, { maxProofAge: 300 }),
 *   (request, { user }) => changeEmail(user, await request.json()),
 * )
 */
export function guardFetch<Result extends GuardResult>(
  check: GuardCheck<Result>,
  handle: (
    request: Request,
    result: Result,
    context: RequestContext,
  ) => Response | Promise<Response>,
): (request: Request, context?: Omit<RequestContext, 'request'>) => Promise<Response> {
  return async (request, context = {}) => {
    const whole = { ...context, request }
    const result = await refusalOr(() => check(whole))
    if (result instanceof Response) return result
    const response = await handle(request, result, whole)
    return result.headers ? withHeaders(response, result.headers) : response
  }
}

/** What a check gives, or the answer to what it threw. */
export async function refusalOr<Result extends GuardResult>(
  check: () => Result | Promise<Result>,
): Promise<Result | Response> {
  try {
    return await check()
  } catch (error) {
    if (isQuillgateError(error) && error.code !== 'configuration_error')
      return problemResponse(error)
    throw error
  }
}

/** Headers of a `Response.redirect` or of another answer's cannot be written. */
function withHeaders(response: Response, headers: Headers): Response {
  const answer = new Response(response.body, response)
  for (const [name, value] of headers) answer.headers.append(name, value)
  return answer
}
