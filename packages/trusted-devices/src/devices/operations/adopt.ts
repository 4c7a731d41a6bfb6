import type { Outcome } from '../facts.ts'
import type { RegistryParts } from '../registry-parts.ts'
import type { DeviceRecord } from '../tables/device-record.ts'
import { type Arrival, newRecord, returnedRecord } from './arrival.ts'
import { type Change, changeDevices } from './change.ts'
import { doubtfulDevice, noteMove, recogniseArrival, stateCopy } from './login.ts'
import { clearSecondFactor } from './second-factor.ts'
import { isSuspectLogin, settingsFor } from './suspect.ts'

/** A session of the application that is live already. */
export type LiveSession = Arrival & { readonly sessionId: string }

/**
 * Registers a device for a session that began without one. The lock of the user makes it one device for each session.
 * Adopting is no login: no country is suspicious, nobody is evicted or refused, and no password counts as entered. An
 * outdated device credential is an alarm all the same.
 *
 * @returns null when the session had a device that was revoked
 */
export function adoptSession(
  parts: RegistryParts,
  session: LiveSession,
): Promise<Outcome<DeviceRecord | null>> {
  const { userId, sessionId } = session
  return changeDevices(
    parts,
    userId,
    async (change) => {
      const adopted = await parts.table.findBySession(change.tx, userId, sessionId)
      if (adopted) return adopted
      if (await parts.past.hadSession(change.tx, userId, sessionId)) return null
      return register(parts, change, session)
    },
    { registers: true },
  )
}

async function register(
  parts: RegistryParts,
  change: Change,
  session: LiveSession,
): Promise<DeviceRecord> {
  const { recognition, past } = await recogniseArrival(parts, change, session)
  const doubtful = doubtfulDevice(recognition, session)
  if (doubtful !== null) await clearSecondFactor(parts, change, session.userId, doubtful)
  if (recognition.kind === 'known') {
    const { record: known } = recognition
    const returned = returnedRecord(known, session, change.now, parts.settings.refreshGrace * 1000)
    const record = { ...returned, provedAt: known.provedAt }
    await parts.table.updateLogin(change.tx, record)
    await noteMove(parts, change, known, record)
    change.changed(record.device.uid)
    return record
  }
  const isSuspect = isSuspectLogin(parts.settings, recognition, past, false)
  const settings = settingsFor(parts.settings, isSuspect)
  const uid = parts.createUuid(change.now)
  const created = newRecord(session, recognition, uid, change.now, settings, isSuspect)
  const record = { ...created, provedAt: null }
  await parts.table.insert(change.tx, record)
  if (past) await parts.past.replaced(change.tx, past.device.uid, change.now)
  const returning = recognition.kind === 'returning'
  const { device } = record
  change.state({
    kind: 'created',
    device,
    returning,
    suspicious: false,
    reason: 'adopted',
    actor: uid,
  })
  stateCopy(change, recognition, uid)
  return record
}
