import type { DeviceFact } from '../devices/facts.ts'
import type { RegistryParts } from '../devices/registry-parts.ts'
import type { AlertLink } from './alert-link.ts'
import type { AlertPolicy } from './alert-policy.ts'
import type { AlertTable } from './alert-table.ts'

/** The result of "this wasn't me". */
export interface ReportResult {
  /** Null if it was reported before. Then nothing was done. */
  readonly revoked: number | null
  readonly facts: readonly DeviceFact[]
}

/** The answers of users to a mail. The link has been verified and names the user. */
export interface AlertAnswers {
  /** Revokes, once. */
  report(link: AlertLink): Promise<ReportResult>
  /** Takes a report back, so that it can be made again. */
  takeBack(link: AlertLink): Promise<void>
  /**
   * Silences alerts about such a device in this country.
   *
   * @returns until when, in milliseconds; null after a report
   */
  mute(link: AlertLink): Promise<number | null>
}

/** Answers are written under the owner's lock, in the transaction of what they do. */
export function createAlertAnswers(
  registry: RegistryParts,
  table: AlertTable,
  { muteFor, reportRevokes }: Pick<AlertPolicy, 'muteFor' | 'reportRevokes'>,
): AlertAnswers {
  const { db, removal } = registry
  return {
    async report(link) {
      const { userId, eventId, deviceUid } = link
      const { result, facts } = await registry.changes.run(userId, async (change) => {
        await table.insert(change.tx, toEvent(link), 'sent') // Its row may have been erased.
        if (!(await table.answer(change.tx, userId, eventId, 'reported', null))) return null
        const one = isForOneDevice(link, reportRevokes)
          ? await removal.these(change.tx, userId, [deviceUid])
          : []
        // If the device was removed, its browser may have another one now, which is unknown.
        const removed = one.length > 0 ? one : await removal.all(change.tx, userId)
        if (one.length === 0) await registry.revoked.distrust(change.tx, userId)
        await change.revoked(removed, 'reported', null)
        return removed.length
      })
      return { revoked: result, facts }
    },
    takeBack: ({ eventId }) => table.unanswer(db.executor, eventId),
    async mute(link) {
      const { result } = await registry.changes.run(link.userId, async ({ tx, now }) => {
        await table.insert(tx, toEvent(link), 'sent')
        const until = now + muteFor
        if (await table.answer(tx, link.userId, link.eventId, 'muted', until)) return until
        const [stored] = await table.find(tx, [link.eventId])
        return stored?.answer === 'muted' ? stored.mutedUntil : null
      })
      return result
    },
  }
}

/** With several sign-ins, or with a copied one, the stranger's device is unknown. */
export function isForOneDevice(
  { kind, isSummary }: Pick<AlertLink, 'kind' | 'isSummary'>,
  reportRevokes: AlertPolicy['reportRevokes'],
): boolean {
  return reportRevokes === 'device' && kind !== 'compromised' && !isSummary
}

function toEvent({ eventId, userId, deviceUid, kind, scope }: AlertLink) {
  const details = {
    name: '',
    browser: null,
    os: null,
    city: null,
    country: null,
    previousCountries: [],
    reason: '',
  }
  return { eventId, userId, deviceUid, kind, scope, details, happenedAt: timeOf(eventId) }
}

/** The first 48 bits of a UUID v7 (RFC 9562 §5.7). */
function timeOf(eventId: string): number {
  return Number.parseInt(eventId.replace('-', '').slice(0, 12), 16)
}
