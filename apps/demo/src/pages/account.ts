import { isQuillgateError, QuillgateError } from '@quillgate/server/core'
import { type Request, type Response, Router } from 'express'
import { createForms, fieldOf } from '../forms.ts'
import type { DemoParts } from '../parts.ts'
import { saveName } from '../profiles.ts'
import { requireVisitor } from '../sign-in-needed.ts'

/** After a password entry, the password is not required again for this number of seconds. */
const PROOF = 300
const LONGEST_NAME = 60

/**
 * Creates the routes of the account page. Users can export their data, and can change their name
 * after a recent password entry.
 */
export function accountRoutes({ database, devices, gate }: DemoParts): Router {
  const router = Router()
  const { small } = createForms(gate)

  router.get('/account', (request, response) => {
    const { user } = requireVisitor(request)
    const notice = 'saved' in request.query ? 'Your name was saved.' : null
    showAccount(response, { name: user.name, notice })
  })

  router.post('/account/name', small, async (request: Request, response: Response) => {
    requireVisitor(request)
    const name = fieldOf(request, 'name').trim()
    try {
      checkName(name)
      const password = fieldOf(request, 'password')
      if (password !== '') await reauthenticate(request, response, password)
      const { user } = await devices.requireTrusted(request, { maxProofAge: PROOF })
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

  /**
   * Sends the password of the form to the reauthentication endpoint, so that its checks and limits
   * apply.
   */
  async function reauthenticate(
    request: Request,
    response: Response,
    password: string,
  ): Promise<void> {
    const headers = new Headers(Object.entries(request.headers).flatMap(textHeader))
    for (const name of ['content-length', 'content-encoding', 'transfer-encoding'])
      headers.delete(name)
    headers.set('content-type', 'application/json')
    headers.set('x-csrf-token', fieldOf(request, 'csrf_token'))
    const url = new URL(devices.url('reauthenticate'), `http://${request.headers.host}`)
    const body = JSON.stringify({ password })
    const answer = await gate.fetch(
      new globalThis.Request(url, { method: 'POST', headers, body }),
      {
        address: request.socket.remoteAddress,
      },
    )
    for (const each of answer.headers.getSetCookie()) response.append('set-cookie', each)
    if (answer.ok) return
    const { code, detail } = (await answer.json()) as { code: string; detail: string }
    const wait = answer.headers.get('retry-after')
    const retryAfter = wait === null ? {} : { 'retry-after': wait }
    throw new QuillgateError(code, answer.status, detail, { headers: retryAfter })
  }

  function showAccount(response: Response, form: object): void {
    response.render('account', { title: 'Your account', openApi: devices.url('openApi'), ...form })
  }

  return router
}

/** If a message is null, the form shows the message of the error. */
const PROBLEMS: Readonly<Record<string, string | null>> = {
  step_up_required: null,
  invalid_credentials: 'The password is wrong.',
  rate_limited: 'Too many attempts. Wait, then try again.',
  invalid_request: null,
}

function checkName(name: string): void {
  if (
    name === '' ||
    [...name].length > LONGEST_NAME ||
    /\p{Cc}/u.test(name) ||
    !name.isWellFormed()
  ) {
    throw new QuillgateError(
      'invalid_request',
      400,
      `The name must have 1 to ${LONGEST_NAME} characters, without control characters.`,
    )
  }
}

function textHeader([name, value]: [string, string | string[] | undefined]): [string, string][] {
  return typeof value === 'string' ? [[name, value]] : []
}
