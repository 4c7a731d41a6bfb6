import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@quillgate/http'
import type { RegistryParts } from '../devices/registry-parts.ts'
import type { UserDirectory } from '../devices/user-directory.ts'
import { createAlertAnswers } from './alert-answers.ts'
import type { AlertEvent } from './alert-event.ts'
import { createAlertLinks } from './alert-link.ts'
import type { AlertPolicy } from './alert-policy.ts'
import { createAlertQueue } from './alert-queue.ts'
import { createAlertTable } from './alert-table.ts'
import type { AlertParts, Alerts } from './alerts.ts'
import { connectAlerts } from './connect-alerts.ts'
import { sendTo } from './send-alerts.ts'
import { createWakeUp } from './wake-up.ts'

/** What {@link createAlerts} works with. */
export interface AlertsOptions {
  readonly policy: AlertPolicy
  readonly registry: RegistryParts
  readonly users: UserDirectory
  /** They sign the links. */
  readonly keys: readonly [Buffer, ...Buffer[]]
  /** The path under which the pages are. */
  readonly path: string
  readonly logger: Logger
}

const USERS_AT_ONCE = 100

/** Joins the parts: receivers keep events, mails follow from what is kept. */
export function createAlerts({ policy, registry, users, keys, path, logger }: AlertsOptions): Alerts {
  const { db, clock } = registry
  const table = createAlertTable(db)
  const links = createAlertLinks(keys)
  const retention = Math.max(policy.linkLifetime, KEPT)
  const queue = createAlertQueue(db, table, { limit: policy.mailsPerHour, retention, clock })
  const onError = (error: unknown, event: AlertEvent | null): void =>
    logger.error(`An alert could not be sent${event ? ` (${event.kind} ${event.eventId})` : ''}.`, error)
  const urlOf = (token: string): string => `${policy.origin()}${path}/${token}`
  const parts: AlertParts = { executor: db.executor, policy, links, table, queue, users, clock, urlOf, onError }

  const running = new Set<Promise<unknown>>()
  const track = <Result>(work: Promise<Result>): Promise<Result> => {
    running.add(work)
    const end = (): void => void running.delete(work)
    work.then(end, end)
    return work
  }
  const lookForDue = async (): Promise<number | null> => {
    try {
      await sendToAll(parts)
      await table.forget(db.executor, null, clock() - retention, clock())
      return await table.nextDue(db.executor)
    } catch (error) {
      onError(error, null)
      return clock() + DATABASE_PAUSE
    }
  }
  const wakeUp = createWakeUp(() => track(lookForDue()), clock)
  const sendSoon = async (userId: string): Promise<void> => {
    await sendTo(parts, userId)
    wakeUp.by((await table.nextDue(db.executor)) ?? Number.POSITIVE_INFINITY)
  }

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
          track(sendSoon(event.userId)).catch((error: unknown) => onError(error, event))
        },
      }),
    async sendDue() {
      await Promise.allSettled(running)
      return track(sendToAll(parts))
    },
    start: () => wakeUp.start(),
    async stop(seconds) {
      wakeUp.stop()
      if (running.size === 0) return
      const patience = new AbortController()
      const tooLong = sleep(seconds * 1000, null, { signal: patience.signal }).catch(() => null)
      await Promise.race([Promise.allSettled(running), tooLong])
      patience.abort()
    },
  }
}

const DATABASE_PAUSE = 60_000
const KEPT = 2 * 86_400_000 // Longer than a mail is tried.

async function sendToAll(parts: AlertParts): Promise<number> {
  const { table, executor, clock } = parts
  let sent = 0
  const seen = new Set<string>()
  while (true) {
    const due = (await table.dueUsers(executor, clock(), USERS_AT_ONCE)).filter((userId) => !seen.has(userId))
    if (due.length === 0) return sent
    for (const userId of due) {
      seen.add(userId)
      sent += await sendTo(parts, userId)
    }
  }
}
