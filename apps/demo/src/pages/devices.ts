import { QuillgateError } from '@quillgate/server/core'
import { submitDeviceForm } from '@quillgate/trusted-devices'
import { type DeviceListProblem, renderDeviceList } from '@quillgate/trusted-devices-client/list'
import { type Request, type Response, Router } from 'express'
import { createForms } from '../forms.ts'
import type { DemoParts } from '../parts.ts'
import { requireVisitor } from '../sign-in-needed.ts'

const ACTION = '/devices'
const PAGE = 20

/** The forms work without scripts. `<trusted-devices>` enhances the list. */
export function deviceRoutes({ devices, gate }: DemoParts): Router {
  const router = Router()
  const { small } = createForms(gate)

  router.get(ACTION, async (request, response) => {
    await showDevices(request, response)
  })

  router.post(
    [`${ACTION}/:uid/:operation`, `${ACTION}/revoke-all`],
    small,
    async (request: Request, response: Response) => {
      requireVisitor(request)
      const fields = (request.body ?? {}) as Record<string, unknown>
      const result = await submitDeviceForm(devices, request, {
        action: ACTION,
        fields,
      })
      if (!result.problem) return response.redirect(303, ACTION)
      if (result.status === 404)
        throw new QuillgateError(result.problem.code, 404, result.problem.detail)
      response.status(result.status)
      await showDevices(request, response, result.problem)
    },
  )

  async function showDevices(
    request: Request,
    response: Response,
    problem?: DeviceListProblem,
  ): Promise<void> {
    const { user, device } = requireVisitor(request)
    const cursor = typeof request.query['cursor'] === 'string' ? request.query['cursor'] : null
    const page = await devices.registry.list(user.id, { limit: PAGE, cursor })
    response.render('devices', {
      title: 'Your devices',
      assets: devices.assets,
      list: renderDeviceList({
        ...page,
        ...(problem ? { problem } : {}),
        current: device,
        csrfToken: String(response.locals['csrfToken']),
        action: ACTION,
        moreUrl: (next) => `${ACTION}?cursor=${encodeURIComponent(next)}`,
        basePath: devices.url('list'),
        signedOutUrl: '/login',
      }),
    })
  }

  return router
}
