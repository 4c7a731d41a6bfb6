import type { SqlExecutor } from '@quillgate/server/database'
import type { ReceivedEvent } from './received-event.ts'

/** The devices and events in the database after the last delivery. */
export interface DatabaseState {
  readonly devices: ReadonlySet<string>
  readonly revoked: ReadonlySet<string>
  /** The ids of events in the order of their rows. */
  readonly order: readonly string[]
  /** Descriptions of rows in the outbox that are not delivered. */
  readonly left: readonly string[]
}

export async function readState(sql: SqlExecutor): Promise<DatabaseState> {
  const uids = async (table: string) => {
    const rows = await sql.query(`SELECT uid FROM quillgate_${table}`)
    return new Set(rows.map((row) => String(row['uid'])))
  }
  const rows = await sql.query('SELECT * FROM quillgate_device_job ORDER BY position')
  const undelivered = rows.filter((row) => row['state'] !== 'delivered')
  return {
    devices: await uids('device'),
    revoked: await uids('device_revoked'),
    order: [...new Set(rows.map((row) => String(row['id'])))],
    left: undelivered.map((row) => `${row['kind']} is ${row['state']}: ${row['last_error']}`),
  }
}

/**
 * Returns the violations of these rules. Each committed change must have an event. The events of a
 * user must be in order. An event may be delivered again, but only with the same id.
 */
export function findProblems(
  state: DatabaseState,
  received: readonly ReceivedEvent[],
  before: ReadonlySet<string>,
): string[] {
  const ever = new Set([...before, ...state.devices, ...state.revoked])
  const problems = [...state.left]
  const eventsOf = (signal: string, uid: string): Set<string> =>
    new Set(
      received
        .filter((each) => each.signal === signal && each.uid === uid)
        .map(({ eventId }) => eventId),
    )
  const expectEvents = (signal: string, uid: string, count: number): void => {
    const events = eventsOf(signal, uid)
    if (events.size !== count)
      problems.push(`${signal} of ${uid}: ${events.size} events instead of ${count}`)
  }
  for (const uid of ever) {
    const isGone = !state.devices.has(uid)
    const reason = received.find(
      (each) => each.signal === 'device_revoked' && each.uid === uid,
    )?.reason
    expectEvents('device_created', uid, 1)
    expectEvents('device_revoked', uid, isGone ? 1 : 0)
    expectEvents('device_compromised', uid, reason === 'compromised' ? 1 : 0)
    expectEvents(
      'suspicious_login',
      uid,
      received.some((each) => each.suspicious && each.uid === uid) ? 1 : 0,
    )
  }
  for (const { uid, signal } of received)
    if (!ever.has(uid)) problems.push(`${signal} of ${uid}, which never was`)
  return [
    ...problems,
    ...received.flatMap(incomplete),
    ...disorder(state, received),
    ...differences(received),
  ]
}

/** Returns a problem if an event is incomplete, or if its actor does not fit its reason. */
function incomplete({ eventId, signal, uid, userId, reason, actor, at }: ReceivedEvent): string[] {
  const isWhole = [eventId, uid, userId, reason].every(
    (text) => typeof text === 'string' && text !== '',
  )
  const byWhom =
    reason === 'stale' || reason === 'user_deleted' || reason === 'application' ? null : 'a device'
  const isByWhom = byWhom === null ? actor === null : typeof actor === 'string' && actor !== ''
  const isWhen = !Number.isNaN(Date.parse(at))
  return isWhole && isByWhom && isWhen
    ? []
    : [`${signal} ${eventId} of ${uid} is not complete: ${reason}, ${actor}, ${at}`]
}

function disorder({ order }: DatabaseState, received: readonly ReceivedEvent[]): string[] {
  const positions = new Map(order.map((eventId, position) => [eventId, position]))
  const problems: string[] = []
  const last = new Map<string, number>()
  for (const { eventId, userId, signal } of firstOf(received)) {
    const position = positions.get(eventId)
    if (position === undefined) problems.push(`${signal} ${eventId} has no row`)
    else if (position < (last.get(userId) ?? -1))
      problems.push(`${signal} ${eventId} of user ${userId} came too late`)
    else last.set(userId, position)
  }
  return problems
}

function differences(received: readonly ReceivedEvent[]): string[] {
  const firsts = new Map(firstOf(received).map((each) => [each.eventId, JSON.stringify(each)]))
  return received
    .filter((each) => firsts.get(each.eventId) !== JSON.stringify(each))
    .map((each) => `${each.eventId} was delivered twice with different content`)
}

function firstOf(received: readonly ReceivedEvent[]): ReceivedEvent[] {
  return received.filter(
    (each, index) => received.findIndex(({ eventId }) => eventId === each.eventId) === index,
  )
}
