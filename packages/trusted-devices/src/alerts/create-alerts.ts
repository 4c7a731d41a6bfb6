import type { Logger } from '@quillgate/server/core'
import type { RegistryParts } from '../devices/registry-parts.ts'
import type { UserDirectory } from '../devices/user-directory.ts'
import { createAlertAnswers } from './alert-answers.ts'
import type { AlertEvent } from './alert-event.ts'
import { createAlertLinks } from './alert-link.ts'
import { createAlertLoop } from './alert-loop.ts'
import type { AlertPolicy } from './alert-policy.ts'
import { createAlertQueue } from './alert-queue.ts'
import type { AlertTable } from './alert-table.ts'
import type { AlertParts, Alerts } from './alerts.ts'
import { connectAlerts } from './connect-alerts.ts'

/** What {@link createAlerts} works with. */
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
  const links = createAlertLinks(keys)
  const retention = Math.max(policy.linkLifetime, KEPT)
  const queue = createAlertQueue(db, table, { limit: policy.mailsPerHour, retention, clock })
  const onError = (error: unknown, event: AlertEvent | null): void =>
    logger.error(
      `An alert could not be sent${event ? ` (${event.kind} ${event.eventId})` : ''}.`,
      error,
    )
  const urlOf = (token: string): string => `${policy.origin()}${path}/${token}`
  const parts: AlertParts = {
    executor: db.executor,
    policy,
    links,
    table,
    queue,
    users,
    clock,
    urlOf,
    onError,
  }

  const loop = createAlertLoop(parts, retention)
  return {
    policy,
    links,
    table,
    answers: createAlertAnswers(registry, table, policy),
    connect: (signals) =>
      connectAlerts(signals, {
        policy,
        table,
        executor: db.executor,
        async tell(event) {
          if (!(await users.find(event.userId))) return // There is nobody to tell.
          await queue.add(event)
          loop.sendSoon(event)
        },
      }),
    sendDue: loop.sendDue,
    start: loop.start,
    stop: loop.stop,
  }
}

const KEPT = 2 * 86_400_000 // Longer than a mail is tried.
