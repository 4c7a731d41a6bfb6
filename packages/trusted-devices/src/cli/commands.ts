import { CliError, UsageError } from '@quillgate/server/cli'
import { isReason } from '../devices/device-event.ts'
import type { DeviceFilter } from '../devices/revocation/filter.ts'
import { toDeviceJson } from '../http/wire.ts'
import { type Command, failuresOf, given, moreOf, readPage, toLine } from './command.ts'
import { FILTER_OPTIONS, readFilter } from './device-filter.ts'
import type { Values } from './options.ts'
import { OUTBOX_COMMANDS } from './outbox-commands.ts'

const DAY = 86_400

const cleanup: Command = {
  summary:
    'revoke devices that were not used for staleAfter, or for --older-than; reduce old addresses',
  options: ['older-than', 'dry-run'],
  prepare({ 'older-than': days, 'dry-run': dryRun = false }) {
    if (days !== undefined && !/^0*[1-9]\d{0,5}$/.test(days))
      throw new UsageError('--older-than must be a whole number of days, 1 or more.')
    const olderThan = days === undefined ? undefined : Number(days) * DAY
    return async (devices) => {
      const report = await devices.registry.cleanup({ dryRun, ...given({ olderThan }) })
      const { revoked, reducedAddresses } = report
      const seenBefore = report.seenBefore?.toISOString() ?? null
      const failures = failuresOf(report.failures)
      const which =
        seenBefore === null ? 'staleAfter is null: none is' : `last seen before ${seenBefore}`
      const [revoking, reducing] = dryRun
        ? ['[dry run] Would revoke', 'would reduce']
        : ['Revoked', 'reduced']
      return {
        json: {
          revoked,
          reduced_addresses: reducedAddresses,
          seen_before: seenBefore,
          dry_run: dryRun,
          failures: failures.json,
        },
        text: `${revoking} ${revoked} stale devices (${which}), ${reducing} ${reducedAddresses} addresses.\n`,
        failure: failures.text,
      }
    }
  },
}

const list: Command = {
  summary: 'list devices, newest activity first',
  details: 'Without conditions: those of all users. Several conditions must all hold.\n',
  options: [...FILTER_OPTIONS, 'limit', 'cursor'],
  prepare(values) {
    const filter = readFilter(values) ?? undefined
    const options = { ...readPage(values), ...given({ filter }) }
    return async (devices) => {
      const { devices: found, nextCursor } = await devices.registry.listAll(options)
      const text = found.map(toLine).join('') + moreOf(nextCursor)
      return {
        json: { devices: found.map(toDeviceJson), next_cursor: nextCursor },
        text: text === '' ? 'No devices.\n' : text,
      }
    }
  },
}

const revoke: Command = {
  summary: 'revoke the devices that fit, one, or all of a user',
  details: `Say which: --user with --device, --user with --all, other conditions, or --everything. Several conditions must
all hold. With --dry-run the same devices are counted, and some shown. A run that was stopped can be repeated.
`,
  options: [...FILTER_OPTIONS, 'device', 'all', 'everything', 'reason', 'dry-run'],
  prepare(values) {
    const { device, reason = 'administrator', 'dry-run': dryRun = false } = values
    if (!isReason(reason))
      throw new UsageError('--reason must be text of 1 to 64 characters in one line.')
    const filter = device === undefined ? readRevoked(values) : readOne(device, values)
    return async (devices) => {
      const report = await devices.registry.revokeWhere(filter, { reason, dryRun })
      const { revoked, sample } = report
      const failures = failuresOf(report.failures)
      if (device !== undefined && revoked === 0 && failures.text === null)
        throw new CliError(`User ${values.user} has no device ${device}.`)
      const more = dryRun && revoked > sample.length ? revoked - sample.length : 0
      const lines = [
        `${dryRun ? '[dry run] Would revoke' : 'Revoked'} ${revoked} devices.\n`,
        ...sample.map((one) => `  ${toLine(one)}`),
        ...(more > 0 ? [`  … and ${more} more\n`] : []),
      ]
      return {
        json: {
          revoked,
          dry_run: dryRun,
          ...(dryRun ? { sample: sample.map(toDeviceJson) } : {}),
          failures: failures.json,
        },
        text: lines.join(''),
        failure: failures.text,
      }
    }
  },
}

/** Reads `--user <id> --device <uid>`. */
function readOne(uid: string, values: Values): DeviceFilter {
  const [userId, ...others] = values.user ?? []
  if (userId === undefined || others.length > 0)
    throw new UsageError('--device needs one --user <id>.')
  const conditions = Object.keys(readFilter(values) ?? {})
  if (conditions.length > 1 || values.all || values.everything)
    throw new UsageError('--device goes with --user only.')
  return { userId, uid }
}

function readRevoked({ all, everything, ...values }: Values): DeviceFilter {
  const filter = readFilter(values)
  const isUserOnly = filter !== null && Object.keys(filter).join() === 'userId'
  if (everything) {
    if (filter !== null || all) throw new UsageError('--everything goes with no condition.')
    return { everything: true }
  }
  if (filter === null)
    throw new UsageError('revoke needs a condition such as --user <id>, or --everything.')
  if (isUserOnly && !all) throw new UsageError('revoke --user needs --device <uid> or --all.')
  if (!isUserOnly && all) throw new UsageError('--all goes with --user only.')
  return filter
}

const openapi: Command = {
  summary: 'write the OpenAPI document of the endpoints',
  options: [],
  isOffline: true,
  prepare: () => async (devices) => {
    const document = devices.gate.openApi()
    return { json: document, text: `${JSON.stringify(document, null, 2)}\n` }
  },
}

/** The commands by name. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  cleanup,
  list,
  revoke,
  openapi,
  ...OUTBOX_COMMANDS,
}
