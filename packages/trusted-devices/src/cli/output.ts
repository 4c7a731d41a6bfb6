import type { TrustedDevice } from '../devices/tables/trusted-device.ts'
import { stripControlCharacters } from '../network/control-characters.ts'
import type { Delivery, Settled } from '../signals/deliveries.ts'

/** The result of a command, as JSON and as text. */
export interface CommandOutput {
  readonly json: object
  readonly text: string
  /** The text for stderr about failures. If the text is not empty, the exit code is 1. */
  readonly failure?: string
}

const SHOWN = 10

/** Returns one line of text for each device. */
export function deviceLines(devices: readonly TrustedDevice[]): string {
  return devices.map(toLine).join('')
}

function toLine({ uid, userId, name, city, country, lastSeenAt }: TrustedDevice): string {
  const place = [city, country].filter((part) => part !== null).join(', ') || 'unknown place'
  const line = `${uid}  user ${userId}  ${name}  ${place}  last seen ${lastSeenAt.toISOString()}`
  return `${stripControlCharacters(line)}\n` // A name can contain line breaks.
}

/** Adds the users for whom a command failed to its output. */
export function withFailures(
  { json, text }: CommandOutput,
  failures: readonly { readonly userId: string; readonly error: unknown }[],
): CommandOutput {
  const failed = failures.map(({ userId, error }) => ({
    user_id: userId,
    message: error instanceof Error ? error.message : String(error),
  }))
  const lines = failed.map(({ user_id, message }) => `${user_id}: ${message}`)
  const failure = listOf(`Failed for ${failed.length} users`, lines)
  return { json: { ...json, failures: failed }, text, failure }
}

/** Adds the unfinished receivers of signals and the lost events to an output. */
export function withReceivers(output: CommandOutput, { unfinished, lost }: Settled): CommandOutput {
  if (unfinished.length + lost.length === 0) return output
  const late = listOf('Receivers that have not finished', unfinished.map(describe))
  const missed = listOf(
    'Signals that were not delivered, because users.findById failed',
    lost.map(describe),
  )
  return {
    ...output,
    json: {
      ...output.json,
      unfinished_receivers: unfinished.map(toJson),
      lost_events: lost.map(toJson),
    },
    failure: `${output.failure ?? ''}${late}${missed}`,
  }
}

function toJson({ signal, receiverId, eventId }: Delivery): object {
  return { signal, receiver: receiverId, event_id: eventId }
}

function describe({ signal, receiverId, eventId }: Delivery): string {
  return `${signal}${receiverId === null ? '' : ` (${receiverId})`}, event ${eventId}`
}

function listOf(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return ''
  const shown = lines.slice(0, SHOWN).map((line) => `  ${line}\n`)
  const more = lines.length > SHOWN ? `  … and ${lines.length - SHOWN} more\n` : ''
  return `${title}:\n${shown.join('')}${more}`
}
