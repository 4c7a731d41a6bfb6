import type { Database } from '@quillgate/server/database'
import type { AttemptResult, JobHandler } from '@quillgate/server/jobs'
import type { TestEngine } from '@quillgate/server/testing'
import { deviceMigrations, TrustedDevice } from '@quillgate/trusted-devices'
import { createFakeClock, type FakeClock } from '@quillgate/trusted-devices/testing'
import type { DeviceEvent } from '../../src/devices/device-event.ts'
import { DeviceDatabase } from '../../src/devices/tables/device-database.ts'
import { createOutbox, type Outbox, type OutboxOptions } from '../../src/outbox/outbox.ts'

/** Several processes that share an outbox, without an instance of trusted devices. */
export interface OutboxNodes {
  readonly database: Database
  readonly db: DeviceDatabase
  readonly clock: FakeClock
  readonly errors: unknown[]
  start(handler?: JobHandler<DeviceEvent>, options?: Partial<OutboxOptions>): Outbox
  /** Commits new events of a user and returns them. Does not deliver them. */
  commit(outbox: Outbox, userId: string, count?: number): Promise<DeviceEvent[]>
  /** Returns each row in order, as `user state attempts`. */
  rows(): Promise<string[]>
  close(): Promise<void>
}

export async function openOutboxNodes(engine: TestEngine): Promise<OutboxNodes> {
  const test = await engine.openMigrated([deviceMigrations])
  const { database } = test
  const db = new DeviceDatabase(database, 'quillgate_')
  const clock = createFakeClock()
  const started: Outbox[] = []
  const errors: unknown[] = []
  return {
    ...{ database, db, clock, errors },
    start(handler = handlerOf(() => DONE), options = {}) {
      const outbox = createOutbox({
        ...{
          db,
          handler,
          clock,
          random: () => 0.5,
          attempts: 4,
          timeout: 20,
        },
        ...{
          interval: null,
          retention: null,
          onError: (error: unknown) => void errors.push(error),
          ...options,
        },
      })
      started.push(outbox)
      return outbox
    },
    async commit(outbox, userId, count = 1) {
      const events = Array.from({ length: count }, () => revokedEvent(userId, clock()))
      await db.forUser(userId, clock(), true, ({ tx }) => outbox.record(tx, events))
      return events
    },
    async rows() {
      const found = await database
        .executor(database.kysely)
        .query('SELECT job_key, state, attempts FROM quillgate_device_job ORDER BY position')
      return found.map((row) => `${row['job_key']} ${row['state']} ${row['attempts']}`)
    },
    async close() {
      for (const outbox of started) void outbox.stop()
      await test.close()
    },
  }
}

export function revokedEvent(
  userId: string,
  now: number,
  eventId: string = crypto.randomUUID(),
): DeviceEvent {
  const device = new TrustedDevice({
    ...{
      uid: crypto.randomUUID(),
      userId,
      name: '',
      city: null,
      country: null,
      address: null,
      lastAddress: null,
    },
    ...{
      userAgent: '',
      browser: null,
      os: null,
      deviceType: null,
      createdAt: new Date(0),
      lastSeenAt: new Date(0),
    },
    ...{ canDeleteOthers: true, canEditOthers: true, secondFactorRememberedUntil: null },
  })
  return {
    kind: 'revoked',
    device,
    reason: 'api',
    actor: null,
    userId,
    eventId,
    at: new Date(now),
    sessionId: null,
  }
}

export function handlerOf(
  attempt: (event: DeviceEvent) => Promise<AttemptResult> | AttemptResult,
  more: Partial<JobHandler<DeviceEvent>> = {},
): JobHandler<DeviceEvent> {
  return {
    isOpen: () => true,
    handle: async ([job]) => (job ? attempt(job.payload) : DONE),
    ...more,
  }
}

export const DONE: AttemptResult = { kind: 'done' }
/** An attempt that never ends, because a server hangs or a process was killed. */
export const hang = (): Promise<AttemptResult> => new Promise(() => {})
