import { UsageError } from '@quillgate/server/cli'
import type { OutboxEntry, OutboxFilter } from '../outbox/outbox-log.ts'
import { type Command, given, moreOf, readPage } from './command.ts'
import type { Values } from './options.ts'

/** `outbox list`, `outbox replay` and `outbox deliver`. */
export const OUTBOX_COMMANDS: Readonly<Record<string, Command>> = {
  'outbox list': {
    summary: 'list the events of the outbox',
    options: ['state', 'destination', 'user', 'event', 'limit', 'cursor'],
    prepare(values) {
      const state = readState(values)
      const options = { ...readFilter(values), ...readPage(values), ...given({ state }) }
      return async (devices) => {
        const { entries, nextCursor } = await devices.outbox.list(options)
        const text = entries.map(toLine).join('') + moreOf(nextCursor)
        return {
          json: { events: entries.map(toJson), next_cursor: nextCursor },
          text: text === '' ? 'No events.\n' : text,
        }
      }
    },
  },
  'outbox replay': {
    summary: 'deliver dead events again',
    options: ['destination', 'user', 'event', 'all'],
    prepare(values) {
      const filter = readFilter(values)
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

function readFilter({ destination, user: users, event }: Values): Omit<OutboxFilter, 'state'> {
  const [userId, ...others] = users ?? []
  if (others.length > 0) throw new UsageError('--user may be given once here.')
  return given({ destination, userId, eventId: event })
}

function readState({ state }: Values): OutboxFilter['state'] {
  if (state === undefined || state === 'pending' || state === 'delivered' || state === 'dead')
    return state
  throw new UsageError('--state must be pending, delivered or dead.')
}

function toJson(entry: OutboxEntry): object {
  const { destination, signal, reason, state, attempts } = entry
  return {
    event_id: entry.eventId,
    ...{ destination, signal },
    user_id: entry.userId,
    device_uid: entry.deviceUid,
    reason,
    at: entry.at.toISOString(),
    ...{ state, attempts },
    next_attempt_at: state === 'pending' ? entry.nextAttemptAt.toISOString() : null,
    last_error: entry.lastError,
  }
}

function toLine(entry: OutboxEntry): string {
  const { eventId, destination, signal, userId, state, attempts, at, lastError } = entry
  const columns = [
    ...[eventId, state, signal, `user ${userId}`, `to ${destination}`, at.toISOString()],
    `${attempts} attempt${attempts === 1 ? '' : 's'}`,
    ...(lastError === null ? [] : [lastError.replaceAll(/\p{Cc}+/gu, ' ')]),
  ]
  return `${columns.join('  ')}\n`
}
