import { isQuillgateError } from '@quillgate/http'
import type { TrustedDevice } from '@quillgate/trusted-devices'
import { type Request, type Response, Router } from 'express'
import { createForms, fieldOf } from '../forms.ts'
import type { DemoParts } from '../parts.ts'
import { requireVisitor } from '../sign-in-needed.ts'

/** "Your devices": list, rename, revoke, revoke all. */
export function deviceRoutes({ csrf, devices }: DemoParts): Router {
  const router = Router()
  const { small } = createForms(csrf)

  router.get('/devices', async (request, response) => {
    await showDevices(request, response)
  })

  router.post('/devices/:uid/rename', small, async (request: Request, response: Response) => {
    const { device } = requireVisitor(request)
    const name = fieldOf(request, 'name')
    await acting(request, response, () => devices.editAs(device, String(request.params['uid']), { name }))
  })

  router.post('/devices/:uid/revoke', small, async (request: Request, response: Response) => {
    const { device } = requireVisitor(request)
    await acting(request, response, () => devices.revokeAs(device, String(request.params['uid'])))
  })

  router.post('/devices/revoke-all', small, async (request: Request, response: Response) => {
    const { device } = requireVisitor(request)
    const keep = fieldOf(request, 'keep_current') === 'true'
    await acting(request, response, () => devices.revokeAllAs(device, { keepCurrent: keep }))
  })

  /** Runs a change; a refusal is shown above the list. */
  async function acting(request: Request, response: Response, change: () => Promise<unknown>): Promise<void> {
    try {
      await change()
      response.redirect(303, '/devices')
    } catch (error) {
      if (!isQuillgateError(error) || error.status >= 500) throw error
      response.status(error.status)
      await showDevices(request, response, error.detail)
    }
  }

  async function showDevices(request: Request, response: Response, problem?: string): Promise<void> {
    const { user, device } = requireVisitor(request)
    const page = await devices.list(user.id, { limit: 100 })
    response.render('devices', {
      title: 'Your devices',
      problem,
      devices: page.devices.map((each) => shown(each, device)),
    })
  }

  return router
}

function shown(device: TrustedDevice, current: TrustedDevice): object {
  return {
    uid: device.uid,
    name: device.name,
    place: [device.city, device.country].filter(Boolean).join(', '),
    address: device.address,
    created: new Date(device.createdAt).toISOString(),
    seen: new Date(device.lastSeenAt).toISOString(),
    isCurrent: device.uid === current.uid,
  }
}
