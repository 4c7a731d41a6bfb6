import { UsageError } from '@quillgate/server/cli'
import type { OutboxEntry, OutboxListOptions } from '../outbox/outbox-log.ts'
import { parseUuid } from '../uuid.ts'
import { type Command, given, readPage, type Values } from './options.ts'
import { moreOf } from './report.ts'

/** `outbox list`, `outbox replay` and `outbox deliver`. */
export const OUTBOX_COMMANDS: Readonly<Record<string, Command>> = {
  'outbox list': {
    options: ['state', 'destination', 'user', 'event', 'limit', 'cursor'],
    async run({ outbox }, values) {
      const state = readState(values)
      const page = readPage(values)
      if (page.limit !== undefined && !(page.limit >= 1 && page.limit <= 100))
        throw new UsageError('--limit must be 1 to 100.')
      const options = { ...readFilter(values), ...page, ...given({ state }) }
      const { entries, nextCursor } = await outbox.list(options)
      return {
        json: { events: entries.map(toJson), next_cursor: nextCursor },
        text: entries.map(toLine).join('') + moreOf(nextCursor) || 'No events.\n',
      }
    },
  },
  'outbox replay': {
    options: ['destination', 'user', 'event', 'everything'],
    async run({ outbox }, values) {
      const filter = readFilter(values)
      if ((Object.keys(filter).length === 0) !== (values.everything === true)) {
        const conditions = '--event <id>, --user <id> or --destination <name>'
        throw new UsageError(`outbox replay needs ${conditions}, or only --everything.`)
      }
      const replayed = await outbox.replay(values.everything ? { everything: true } : filter)
      return { json: { replayed }, text: `${replayed} dead events will be delivered again.\n` }
    },
  },
  'outbox deliver': {
    options: [],
    async run({ outbox }) {
      const { delivered, retrying, dead } = await outbox.deliver()
      const failed = `${retrying} failed and will be tried again, ${dead} were given up`
      return {
        json: { delivered, retrying, dead },
        text: `Delivered ${delivered} events; ${failed}.\n`,
      }
    },
  },
}

function readFilter({
  destination,
  user: users,
  event,
}: Values): Pick<OutboxListOptions, 'destination' | 'userId' | 'eventId'> {
  const [userId, ...others] = users ?? []
  if (others.length > 0) throw new UsageError('--user may be given once here.')
  if (event !== undefined && parseUuid(event) === null)
    throw new UsageError('--event must be a UUID.')
  return given({ destination, userId, eventId: event })
}

function readState({ state }: Values): OutboxListOptions['state'] {
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
