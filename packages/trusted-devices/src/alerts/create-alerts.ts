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

/** Joins the parts: receivers keep events, mails follow from what is kept. */
export function createAlerts({
  policy,
  registry,
  table,
  users,
  keys,
  path,
  logger,
}: AlertsOptions): Alerts {
  const { db, clock } = registry
  const { executor } = db
  const links = createAlertLinks(keys)
  const onError = (error: unknown, event: AlertEvent | null): void =>
    logger.error(
      `An alert could not be sent${event ? ` (${event.kind} ${event.eventId})` : ''}.`,
      error,
    )
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
    ...{ executor, policy, links, table, queue, users, clock, onError },
    urlOf: (token) => `${policy.origin()}${path}/${token}`,
    onSent: () => {
      sent++
    },
  }

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
      const before = sent
      await queue.runDue()
      return sent - before
    },
    start: queue.start,
    async stop(seconds) {
      queue.stop()
      await withTimeout(seconds, queue.settle(), () => undefined)
    },
  }
}

const KEPT = 2 * 86_400_000 // Longer than a mail is tried.
