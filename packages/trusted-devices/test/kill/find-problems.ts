import type { SqlExecutor } from '@quillgate/server/database'
import type { Heard } from './heard.ts'

/** The state of the database after everything was delivered. */
export interface Truth {
  /** Devices that exist. */
  readonly devices: ReadonlySet<string>
  /** The revoked devices that are still recorded. */
  readonly past: ReadonlySet<string>
  /** The ids of events in the order of their rows. */
  readonly order: readonly string[]
  /** Descriptions of rows in the outbox that are not delivered. */
  readonly left: readonly string[]
}

/** Reads the state from the database. */
export async function readTruth(sql: SqlExecutor): Promise<Truth> {
  const uids = async (table: string) => {
    const rows = await sql.query(`SELECT uid FROM quillgate_${table}`)
    return new Set(rows.map((row) => String(row['uid'])))
  }
  const rows = await sql.query('SELECT * FROM quillgate_device_job ORDER BY position')
  const undelivered = rows.filter((row) => row['state'] !== 'delivered')
  return {
    devices: await uids('device'),
    past: await uids('device_revoked'),
    order: [...new Set(rows.map((row) => String(row['id'])))],
    left: undelivered.map((row) => `${row['kind']} is ${row['state']}: ${row['last_error']}`),
  }
}

/**
 * Returns the violated rules after the delivery. Each committed change must be delivered. The
 * events of a user must be in order. An event may be delivered again, but only with the same id.
 *
 * @param heard all events that the receivers got
 * @param before the devices that existed before the scenario
 */
export function findProblems(
  truth: Truth,
  heard: readonly Heard[],
  before: ReadonlySet<string>,
): string[] {
  const ever = new Set([...before, ...truth.devices, ...truth.past])
  const problems = [...truth.left]
  const eventsOf = (signal: string, uid: string): Set<string> =>
    new Set(
      heard
        .filter((each) => each.signal === signal && each.uid === uid)
        .map(({ eventId }) => eventId),
    )
  const expectEvents = (signal: string, uid: string, count: number): void => {
    const events = eventsOf(signal, uid)
    if (events.size !== count)
      problems.push(`${signal} of ${uid}: ${events.size} events instead of ${count}`)
  }
  for (const uid of ever) {
    const isGone = !truth.devices.has(uid)
    const reason = heard.find(
      (each) => each.signal === 'device_revoked' && each.uid === uid,
    )?.reason
    expectEvents('device_created', uid, 1)
    expectEvents('device_revoked', uid, isGone ? 1 : 0)
    expectEvents('device_compromised', uid, reason === 'compromised' ? 1 : 0)
    expectEvents(
      'suspicious_login',
      uid,
      heard.some((each) => each.suspicious && each.uid === uid) ? 1 : 0,
    )
  }
  for (const { uid, signal } of heard)
    if (!ever.has(uid)) problems.push(`${signal} of ${uid}, which never was`)
  return [
    ...problems,
    ...heard.flatMap(incomplete),
    ...disorder(truth, heard),
    ...differences(heard),
  ]
}

/** Returns a problem if an event lacks its kind, device, reason, time or actor. */
function incomplete({ eventId, signal, uid, userId, reason, actor, at }: Heard): string[] {
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

function disorder({ order }: Truth, heard: readonly Heard[]): string[] {
  const places = new Map(order.map((eventId, place) => [eventId, place]))
  const problems: string[] = []
  const last = new Map<string, number>()
  for (const { eventId, userId, signal } of firstOf(heard)) {
    const place = places.get(eventId)
    if (place === undefined) problems.push(`${signal} ${eventId} has no row`)
    else if (place < (last.get(userId) ?? -1))
      problems.push(`${signal} ${eventId} of user ${userId} came too late`)
    else last.set(userId, place)
  }
  return problems
}

/** Returns a problem if two different events have the same id. */
function differences(heard: readonly Heard[]): string[] {
  const firsts = new Map(firstOf(heard).map((each) => [each.eventId, JSON.stringify(each)]))
  return heard
    .filter((each) => firsts.get(each.eventId) !== JSON.stringify(each))
    .map((each) => `${each.eventId} was delivered twice with different content`)
}

function firstOf(heard: readonly Heard[]): Heard[] {
  return heard.filter(
    (each, index) => heard.findIndex(({ eventId }) => eventId === each.eventId) === index,
  )
}
