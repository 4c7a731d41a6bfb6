import { type Logger, withTimeout } from '@quillgate/server/core'
import type { RegistryParts } from '../devices/registry-parts.ts'
import type { UserDirectory } from '../devices/user-directory.ts'
import { createAlertAnswers } from './alert-answers.ts'
import type { AlertEvent } from './alert-event.ts'
import { createAlertLinks } from './alert-link.ts'
import type { AlertPolicy } from './alert-policy.ts'
import { type AlertQueue, createAlertQueue } from './alert-queue.ts'
import type { AlertTable } from './alert-table.ts'
import type { AlertParts, Alerts } from './alerts.ts'
import { connectAlerts } from './connect-alerts.ts'
import { sendMail } from './send-alerts.ts'

/** The options of {@link createAlerts}. */
export interface AlertsOptions {
  readonly policy: AlertPolicy
  readonly registry: RegistryParts
  readonly table: AlertTable
  readonly users: UserDirectory
  /** They sign the links. */
  readonly keys: readonly [Buffer, ...Buffer[]]
  /** The path under which the pages are. */
  readonly path: string
  readonly logger: Logger
}

/** Creates the alerts: receivers keep events, and a queue sends mails about them. */
export function createAlerts(options: AlertsOptions): Alerts {
  const { policy, registry, table, users, keys } = options
  const { executor } = registry.db
  const links = createAlertLinks(keys)
  const { queue, countSent } = createMails(options, links)
  return {
    ...{ policy, links, table },
    answers: createAlertAnswers(registry, table, policy),
    connect: (signals) =>
      connectAlerts(signals, {
        ...{ policy, table, executor },
        async tell(event) {
          if (await users.find(event.userId)) await queue.add(event) // A deleted user gets no mail.
        },
      }),
    async sendDue() {
      await queue.settle()
      const before = countSent()
      await queue.runDue()
      return countSent() - before
    },
    start: queue.start,
    async stop(seconds) {
      queue.stop()
      await withTimeout(seconds, queue.settle(), () => undefined)
    },
  }
}

/** Creates the queue of mails. */
function createMails(
  { policy, registry, table, users, path, logger }: AlertsOptions,
  links: AlertParts['links'],
): { readonly queue: AlertQueue; countSent(): number } {
  const { db, clock } = registry
  const onError = (error: unknown, event: AlertEvent | null): void => {
    const about = event ? ` (${event.kind} ${event.eventId})` : ''
    logger.error(`An alert could not be sent${about}.`, error)
  }
  let sent = 0
  const queue: AlertQueue = createAlertQueue({
    ...{ db, table, clock },
    mailsPerHour: policy.mailsPerHour,
    sendTimeout: policy.sendTimeout,
    retention: Math.max(policy.linkLifetime, KEPT),
    async handle(jobs) {
      try {
        return await sendMail(
          parts,
          jobs.map(({ id }) => id),
        )
      } catch (error) {
        onError(error, null)
        return { kind: 'retry', error: String(error) }
      }
    },
    onError: (error) => onError(error, null),
  })
  const parts: AlertParts = {
    ...{ executor: db.executor, policy, links, table, queue, users, clock, onError },
    urlOf: (token) => `${policy.origin()}${path}/${token}`,
    onSent: () => {
      sent++
    },
  }
  return { queue, countSent: () => sent }
}

const KEPT = 2 * 86_400_000 // Longer than a mail is tried.
