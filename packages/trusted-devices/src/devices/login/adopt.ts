import type { AllSettings } from '../../settings.ts'
import { createUuid } from '../../uuid.ts'
import type { Change, Changes } from '../changes.ts'
import type { Outcome } from '../device-event.ts'
import type { DeviceRecord } from '../tables/device-record.ts'
import { recogniseAttempt, saveLogin, stateReuse } from './login.ts'
import type { LoginAttempt } from './recognise.ts'
import { newRecord, signedInAgain } from './records.ts'

/** An existing session of the application. */
export type LiveSession = LoginAttempt & { readonly sessionId: string }

/**
 * Registers a device for a session that began without one. The user's lock ensures that each
 * session gets only one device. Unlike a login, this adds no `suspicious` event, evicts no device,
 * and does not count as an entered password. A reused device credential adds a `compromised` event.
 *
 * @returns the device, or null if the session had a device that was revoked
 */
export function adoptSession(
  changes: Changes,
  settings: AllSettings,
  session: LiveSession,
): Promise<Outcome<DeviceRecord | null>> {
  const { userId, sessionId } = session
  const adopt = async (change: Change): Promise<DeviceRecord | null> => {
    const adopted = await change.devices.findBySession(userId, sessionId)
    if (adopted) return adopted
    if (await change.revoked.hadSession(userId, sessionId)) return null
    return registerDevice(change, settings, session)
  }
  return changes.run(userId, adopt, { registers: true })
}

async function registerDevice(
  change: Change,
  settings: AllSettings,
  session: LiveSession,
): Promise<DeviceRecord> {
  const { now } = change
  const recognition = await recogniseAttempt(change, settings, session)
  if (recognition.kind === 'known') {
    const { provedAt } = recognition.device
    const grace = settings.refreshGrace * 1000
    const record = { ...signedInAgain(recognition, session, now, grace), provedAt }
    await saveLogin(change, recognition, record)
    return record
  }
  const created = newRecord(session, recognition, createUuid(now), now, settings)
  const record = { ...created, provedAt: null }
  await saveLogin(change, recognition, record)
  const { device } = record
  const returning = recognition.kind === 'returning'
  const actor = device.uid
  const how = { returning, isFirst: change.isNewUser, suspicious: false } as const
  change.state({ kind: 'created', device, ...how, reason: 'adopted', actor })
  stateReuse(change, recognition, actor)
  return record
}
