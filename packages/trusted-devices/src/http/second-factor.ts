import { forgetSecondFactorAs } from '../devices/operations/second-factor.ts'
import { noContent } from './no-content.ts'
import { type Operation, operation } from './operation.ts'

/** `DELETE /trusted-devices/{uid}/second-factor`: asks for the second factor at the next login of a device again. */
export const deleteSecondFactor: Operation = operation({
  id: 'forgetSecondFactor',
  summary: 'Forget the second factor that is remembered on a device',
  access: 'change',
  hasUid: true,
  answers: { 204: { description: 'Done, or there was none; there is no body' } },
  errors: {
    403: [
      'device_editing_disabled',
      'device_lacks_edit_permission',
      'device_session_too_recent',
      'step_up_required',
    ],
    404: ['device_not_found'],
  },
  async handle(parts, _context, { identity: { record, headers }, uid }) {
    await forgetSecondFactorAs(parts.registry, record.device, uid())
    return noContent(headers)
  },
})
