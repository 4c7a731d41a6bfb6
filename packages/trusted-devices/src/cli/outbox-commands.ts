import { UsageError } from '@quillgate/server/cli'
import type { OutboxEntry } from '../outbox/outbox-log.ts'
import type { Command } from './command.ts'
import type { Values } from './options.ts'
import { readLimit } from './read-limit.ts'

/** `outbox list`, `outbox replay` and `outbox deliver`. */
export const OUTBOX_COMMANDS: Readonly<Record<string, Command>> = {
  'outbox list': {
    summary: 'list the events of the outbox',
    options: ['state', 'destination', 'user', 'event', 'limit', 'cursor'],
    prepare(values) {
      const { state, cursor } = values
      const filter = {
        ...filterOf(values),
        ...(state === undefined ? {} : { state: parseState(state) }),
        ...readLimit(values),
        ...(cursor === undefined ? {} : { cursor }),
      }
      return async (devices) => {
        const { entries, nextCursor } = await devices.outbox.list(filter)
        const more = nextCursor === null ? '' : `More with --cursor ${nextCursor}\n`
        return {
          json: { events: entries.map(toJson), next_cursor: nextCursor },
          text: entries.length === 0 ? 'No events.\n' : entries.map(toLine).join('') + more,
        }
      }
    },
  },
  'outbox replay': {
    summary: 'deliver dead events again',
    options: ['destination', 'user', 'event', 'all'],
    prepare(values) {
      const filter = filterOf(values)
      if ((Object.keys(filter).length === 0) === (values.all !== true)) {
        throw new UsageError(
          'outbox replay needs --event <id>, --user <id>, --destination <name>, or --all.',
        )
      }
      return async (devices) => {
        const replayed = await devices.outbox.replay(values.all ? { everything: true } : filter)
        return { json: { replayed }, text: `${replayed} dead events will be delivered again.\n` }
      }
    },
  },
  'outbox deliver': {
    summary: 'deliver what is due, now',
    options: [],
    prepare: () => async (devices) => {
      const { delivered, retrying, dead } = await devices.outbox.deliver()
      return {
        json: { delivered, retrying, dead },
        text: `Delivered ${delivered} events; ${retrying} failed and will be tried again, ${dead} were given up.\n`,
      }
    },
  },
}

function filterOf({ destination, user: users, event }: Values) {
  const [user, ...others] = users ?? []
  if (others.length > 0) throw new UsageError('--user may be given once here.')
  return {
    ...(destination === undefined ? {} : { destination }),
    ...(user === undefined ? {} : { userId: user }),
    ...(event === undefined ? {} : { eventId: event }),
  }
}

function parseState(text: string): OutboxEntry['state'] {
  if (text === 'pending' || text === 'delivered' || text === 'dead') return text
  throw new UsageError('--state must be pending, delivered or dead.')
}

function toJson(entry: OutboxEntry): object {
  return {
    event_id: entry.eventId,
    destination: entry.destination,
    signal: entry.signal,
    user_id: entry.userId,
    device_uid: entry.deviceUid,
    reason: entry.reason,
    at: entry.at.toISOString(),
    state: entry.state,
    attempts: entry.attempts,
    next_attempt_at: entry.state === 'pending' ? entry.nextAttemptAt.toISOString() : null,
    last_error: entry.lastError,
  }
}

function toLine({
  eventId,
  destination,
  signal,
  userId,
  state,
  attempts,
  at,
  lastError,
}: OutboxEntry): string {
  const error = lastError === null ? '' : `  ${lastError.replaceAll(/\p{Cc}+/gu, ' ')}`
  const tries = `${attempts} attempt${attempts === 1 ? '' : 's'}`
  return `${eventId}  ${state}  ${signal}  user ${userId}  to ${destination}  ${at.toISOString()}  ${tries}${error}\n`
}
