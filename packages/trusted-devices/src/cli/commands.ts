import type { parseArgs } from 'node:util'
import { UsageError } from '@quillgate/server/cli'
import { isReason } from '../devices/device-event.ts'
import type { DeviceFilter } from '../devices/revocation/filter.ts'
import { toDeviceJson } from '../http/wire.ts'
import type { TrustedDevices } from '../trusted-devices.ts'
import { type CommandOutput, deviceLines, withFailures } from './output.ts'

/** The options of all commands, in the format of `parseArgs` of node:util. */
export const OPTIONS = {
  config: { type: 'string' },
  user: { type: 'string', multiple: true },
  device: { type: 'string' },
  country: { type: 'string' },
  everything: { type: 'boolean' },
  reason: { type: 'string' },
  'older-than': { type: 'string' },
  limit: { type: 'string' },
  cursor: { type: 'string' },
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

/** The parsed options of a command line. */
export type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

/** The part of an instance that the commands use. */
export type CliDevices = Pick<TrustedDevices, 'gate' | 'registry' | 'settle'>

/** A command of `trusted-devices`. */
export interface Command {
  /** The names of the command's own options. `config`, `json` and `help` are not included. */
  readonly options: readonly (keyof typeof OPTIONS)[]
  /** @throws UsageError for wrong options, before anything is changed */
  run(devices: CliDevices, values: Values): Promise<CommandOutput>
}

const DAY = 86_400
const CONDITIONS = ['user', 'device', 'country'] as const

const cleanup: Command = {
  options: ['older-than', 'dry-run'],
  async run({ registry }, { 'older-than': days, 'dry-run': dryRun = false }) {
    if (days !== undefined && !/^0*[1-9]\d{0,5}$/.test(days))
      throw new UsageError('--older-than must be a whole number of days, 1 or more.')
    const age = days === undefined ? {} : { olderThan: Number(days) * DAY }
    const result = await registry.cleanup({ dryRun, ...age })
    const { revoked, reducedAddresses, failures } = result
    const seenBefore = result.seenBefore?.toISOString() ?? null
    const which =
      seenBefore === null
        ? 'staleAfter is null, so no device is stale'
        : `last seen before ${seenBefore}`
    const revoking = dryRun ? '[dry run] Would revoke' : 'Revoked'
    const reduced = dryRun ? '' : `, reduced ${reducedAddresses} addresses`
    const counts = { revoked, reduced_addresses: reducedAddresses }
    const json = { ...counts, seen_before: seenBefore, dry_run: dryRun }
    const text = `${revoking} ${revoked} stale devices (${which})${reduced}.\n`
    return withFailures({ json, text }, failures)
  },
}

const list: Command = {
  options: [...CONDITIONS, 'limit', 'cursor'],
  async run({ registry }, values) {
    const filter: DeviceFilter = readConditions(values) ?? { everything: true }
    const limit = values.limit === undefined ? undefined : Number(values.limit)
    const { cursor } = values
    const { devices, nextCursor } = await registry.listAll({ filter, limit, cursor })
    const more = nextCursor === null ? '' : `For the next page, add --cursor ${nextCursor}\n`
    return {
      json: { devices: devices.map(toDeviceJson), next_cursor: nextCursor },
      text: deviceLines(devices) + more || 'No devices.\n',
    }
  },
}

const revoke: Command = {
  options: [...CONDITIONS, 'everything', 'reason', 'dry-run'],
  async run({ registry }, values) {
    const { everything, reason = 'administrator', 'dry-run': dryRun = false } = values
    if (!isReason(reason))
      throw new UsageError('--reason must be text of 1 to 64 characters in one line.')
    const conditions = readConditions(values)
    if ((conditions === null) !== (everything === true))
      throw new UsageError(
        'revoke needs a condition such as --user <id>, or --everything. Do not combine them.',
      )
    const filter: DeviceFilter = conditions ?? { everything: true }
    const { revoked, sample, failures } = await registry.revokeWhere(filter, { reason, dryRun })
    const found = dryRun ? { sample: sample.map(toDeviceJson) } : {}
    const text = dryRun
      ? `[dry run] Would revoke ${revoked} devices, for example:\n${deviceLines(sample)}`
      : `Revoked ${revoked} devices.\n`
    return withFailures({ json: { revoked, dry_run: dryRun, ...found }, text }, failures)
  },
}

/** The commands by name. */
export const COMMANDS: Readonly<Record<string, Command>> = { cleanup, list, revoke }

function readConditions({ user, device, country }: Values): DeviceFilter | null {
  const conditions: DeviceFilter = {
    ...(user === undefined ? {} : { userId: user }),
    ...(device === undefined ? {} : { uid: device }),
    ...(country === undefined ? {} : { country: country === 'unknown' ? null : country }),
  }
  return Object.keys(conditions).length === 0 ? null : conditions
}
