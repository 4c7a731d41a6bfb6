import { isQuillgateError, QuillgateError } from '@quillgate/server/core'
import { fromExpress, setHeaders } from '@quillgate/server/express'
import type { RequestContext } from '@quillgate/server/http'
import type { TrustedDevices } from '@quillgate/trusted-devices'
import { type Request, type Response, Router } from 'express'
import { createForms, fieldOf } from '../forms.ts'
import type { DemoParts } from '../parts.ts'
import { saveName } from '../profiles.ts'
import { requireVisitor } from '../sign-in-needed.ts'

/** For so many seconds after the password was entered, a browser need not ask for it again. */
const PROOF = 300
const LONGEST_NAME = 60

/** "Your account": a change that needs a fresh password, and what is stored about the user, as a file. */
export function accountRoutes({ csrf, database, devices }: DemoParts): Router {
  const router = Router()
  const { small } = createForms(csrf)

  router.get('/account', (request, response) => {
    const { user } = requireVisitor(request)
    showAccount(response, { name: user.name, saved: 'saved' in request.query })
  })

  router.post('/account/name', small, async (request: Request, response: Response) => {
    requireVisitor(request)
    const name = fieldOf(request, 'name').trim()
    try {
      checkName(name)
      const context = fromExpress(request)
      const password = fieldOf(request, 'password')
      if (password !== '')
        setHeaders(response, await reauthenticate(devices, context, request, password))
      const { user, headers } = await devices.requireTrusted(context, { maxProofAge: PROOF })
      if (headers) setHeaders(response, headers)
      await saveName(database, user.id, name)
      response.redirect(303, '/account?saved')
    } catch (error) {
      if (!isQuillgateError(error) || !Object.hasOwn(PROBLEMS, error.code)) throw error
      response.status(error.status).set(error.headers)
      const stepUp = error.code !== 'invalid_request'
      showAccount(response, { name, stepUp, problem: PROBLEMS[error.code] ?? error.detail })
    }
  })

  router.get('/account/export.json', async (request, response) => {
    const { user } = requireVisitor(request)
    const everything = await devices.users.export(user.id)
    response
      .attachment('quillgate-devices.json')
      .type('json')
      .send(JSON.stringify(everything, null, 2))
  })

  function showAccount(response: Response, form: object): void {
    response.render('account', { title: 'Your account', openApi: devices.url('openApi'), ...form })
  }

  return router
}

/** What the form says about refusals; null: what the error says. */
const PROBLEMS: Readonly<Record<string, string | null>> = {
  step_up_required: null,
  invalid_credentials: 'This is not your password.',
  rate_limited: 'Too many tries. Wait and try again.',
  invalid_request: null,
}

function checkName(name: string): void {
  if (
    name === '' ||
    [...name].length > LONGEST_NAME ||
    /\p{Cc}/u.test(name) ||
    !name.isWellFormed()
  ) {
    throw new QuillgateError('invalid_request', 400, `A name has 1 to ${LONGEST_NAME} characters.`)
  }
}

/**
 * What a script of the page would send to prove that the user is there; so the endpoint checks and limits it.
 *
 * @returns the cookies of the answer
 */
async function reauthenticate(
  devices: TrustedDevices,
  { request, address, native }: RequestContext,
  form: Request,
  password: string,
): Promise<Headers> {
  const headers = new Headers(request.headers)
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding'])
    headers.delete(name)
  headers.set('content-type', 'application/json')
  headers.set('x-csrf-token', fieldOf(form, 'csrf_token'))
  const url = new URL(devices.url('reauthenticate'), request.url)
  const answer = await devices.fetch(
    new Request(url, { method: 'POST', headers, body: JSON.stringify({ password }) }),
    {
      ...(address === undefined ? {} : { address }),
      native,
    },
  )
  if (!answer.ok) {
    const { code, detail } = (await answer.json()) as { code: string; detail: string }
    const wait = answer.headers.get('retry-after')
    throw new QuillgateError(
      code,
      answer.status,
      detail,
      wait === null ? {} : { headers: { 'retry-after': wait } },
    )
  }
  const cookies = new Headers()
  for (const cookie of answer.headers.getSetCookie()) cookies.append('set-cookie', cookie)
  return cookies
}
