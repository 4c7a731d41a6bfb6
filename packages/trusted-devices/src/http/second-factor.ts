import type { Endpoint } from '@quillgate/server/http'
import { forgetSecondFactorAs } from '../devices/edit.ts'
import { defineEndpoint, signedInToChange, UID_PARAM } from './define-endpoint.ts'
import type { HttpParts } from './http-parts.ts'
import { noContent } from './no-content.ts'
import { PATHS } from './paths.ts'

/**
 * `DELETE /trusted-devices/{uid}/second-factor`: asks for the second factor at the next login of a
 * device again.
 */
export const deleteSecondFactor = (parts: HttpParts): Endpoint =>
  defineEndpoint({
    id: 'forgetSecondFactor',
    method: 'DELETE',
    path: parts.basePath + PATHS.secondFactor,
    summary: 'Forget the second factor that is remembered on a device',
    access: signedInToChange(parts),
    params: { uid: UID_PARAM },
    answers: { 204: { description: 'Done, or there was none; there is no body' } },
    errors: [
      'device_not_found',
      'device_editing_disabled',
      'device_lacks_edit_permission',
      'device_session_too_recent',
      'step_up_required',
    ],
    async handle({ caller: { record }, params }) {
      const { changes, settings } = parts.registry
      await forgetSecondFactorAs(changes, settings, record.device, params.uid)
      return noContent()
    },
  })
