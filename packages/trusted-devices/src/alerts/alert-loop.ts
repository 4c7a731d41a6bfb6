import { setTimeout as sleep } from 'node:timers/promises'
import type { AlertEvent } from './alert-event.ts'
import type { AlertParts, Alerts } from './alerts.ts'
import { sendTo } from './send-alerts.ts'
import { createWakeUp } from './wake-up.ts'

/** What sends mails in this process. */
export interface AlertLoop extends Pick<Alerts, 'sendDue' | 'start' | 'stop'> {
  /** Sends what waits for a user, behind the caller's back. */
  sendSoon(event: AlertEvent): void
}

/** @param retention milliseconds for which alerts are kept */
export function createAlertLoop(parts: AlertParts, retention: number): AlertLoop {
  const { table, executor, clock, onError } = parts
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
      await table.forget(executor, null, clock() - retention, clock())
      return await table.nextDue(executor)
    } catch (error) {
      onError(error, null)
      return clock() + DATABASE_PAUSE
    }
  }
  const wakeUp = createWakeUp(() => track(lookForDue()), clock)
  const sendSoon = async (userId: string): Promise<void> => {
    await sendTo(parts, userId)
    wakeUp.by((await table.nextDue(executor)) ?? Number.POSITIVE_INFINITY)
  }

  return {
    sendSoon: (event) =>
      void track(sendSoon(event.userId)).catch((error: unknown) => onError(error, event)),
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

const USERS_AT_ONCE = 100
const SENDERS = 8
const DATABASE_PAUSE = 60_000

async function sendToAll(parts: AlertParts): Promise<number> {
  const { table, executor, clock } = parts
  let sent = 0
  const seen = new Set<string>()
  while (true) {
    const due = (await table.dueUsers(executor, clock(), USERS_AT_ONCE)).filter(
      (userId) => !seen.has(userId),
    )
    if (due.length === 0) return sent
    for (const userId of due) seen.add(userId)
    const waiting = due.values()
    const sender = async (): Promise<void> => {
      for (const userId of waiting) {
        const count = await sendTo(parts, userId)
        sent += count // Not in one: `+=` would read `sent` before it waits.
      }
    }
    await Promise.all(Array.from({ length: SENDERS }, sender)) // They take from the same iterator.
  }
}
