import { CliError, UsageError } from '@quillgate/server/cli'
import { isReason } from '../devices/device-event.ts'
import type { DeviceFilter } from '../devices/revocation/filter.ts'
import { parseUuid } from '../uuid.ts'
import { type Command, failuresOf, type Report, toJson, toLine } from './command.ts'
import { FILTER_OPTIONS, readFilter } from './filter-options.ts'
import type { CliDevices } from './load-devices.ts'
import type { Values } from './options.ts'

/** `revoke`: one device, all of a user, or those that fit. */
export const revoke: Command = {
  summary: 'revoke the devices that fit, one, or all of a user',
  details: `Say which: --user with --device, --user with --all, other conditions, or --everything. Several conditions must
all hold. With --dry-run the same devices are counted, and some shown. A run that was stopped can be repeated.
`,
  options: [...FILTER_OPTIONS, 'device', 'all', 'everything', 'reason', 'dry-run'],
  prepare(values) {
    const { device, reason = 'administrator', 'dry-run': dryRun = false } = values
    if (!isReason(reason))
      throw new UsageError('--reason must be text of 1 to 64 characters in one line.')
    if (device !== undefined) {
      const user = onlyUser(values)
      return (devices) => revokeOne(devices, { user, device, reason, dryRun })
    }
    const filter = whichOf(values)
    return (devices) => revokeFitting(devices, filter, reason, dryRun)
  },
}

function onlyUser(values: Values): string {
  const [user, ...others] = values.user ?? []
  const conditions = readFilter(values) ?? {}
  if (user === undefined || others.length > 0)
    throw new UsageError('--device needs one --user <id>.')
  if (Object.keys(conditions).length > 1 || values.all || values.everything) {
    throw new UsageError('--device goes with --user only.')
  }
  return user
}

function whichOf(values: Values): DeviceFilter {
  const filter = readFilter(values)
  const isUserOnly = filter !== null && Object.keys(filter).join() === 'userId'
  if (values.everything) {
    if (filter !== null || values.all) throw new UsageError('--everything goes with no condition.')
    return { everything: true }
  }
  if (filter === null)
    throw new UsageError('revoke needs a condition such as --user <id>, or --everything.')
  if (isUserOnly && !values.all)
    throw new UsageError('revoke --user needs --device <uid> or --all.')
  if (!isUserOnly && values.all) throw new UsageError('--all goes with --user only.')
  return filter
}

async function revokeFitting(
  devices: CliDevices,
  filter: DeviceFilter,
  reason: string,
  dryRun: boolean,
): Promise<Report> {
  const { revoked, sample, failures } = await devices.registry.revokeWhere(filter, {
    reason,
    dryRun,
  })
  const failed = failuresOf(failures)
  const done = dryRun ? '[dry run] Would revoke' : 'Revoked'
  const more = revoked > sample.length && dryRun ? `  … and ${revoked - sample.length} more\n` : ''
  return {
    json: {
      revoked,
      dry_run: dryRun,
      ...(dryRun ? { sample: sample.map(toJson) } : {}),
      failures: failed.json,
    },
    text: `${done} ${revoked} devices.\n${sample.map((device) => `  ${toLine(device)}`).join('')}${more}`,
    failure: failed.text,
  }
}

interface One {
  readonly user: string
  readonly device: string
  readonly reason: string
  readonly dryRun: boolean
}

async function revokeOne(
  devices: CliDevices,
  { user, device, reason, dryRun }: One,
): Promise<Report> {
  const noDevice = new CliError(`User ${user} has no device ${device}.`)
  const uid = parseUuid(device)
  if (uid === null) throw noDevice
  const preview = dryRun
    ? await devices.registry.revokeWhere({ userId: user, uid }, { dryRun })
    : null
  const isDone = preview
    ? preview.revoked === 1
    : await devices.registry.revoke(user, uid, { reason })
  if (!isDone) throw noDevice
  const sample = preview?.sample ?? []
  return {
    json: {
      revoked: 1,
      dry_run: dryRun,
      ...(dryRun ? { sample: sample.map(toJson) } : {}),
      failures: [],
    },
    text: `${dryRun ? '[dry run] Would revoke' : 'Revoked'} 1 devices.\n${sample.map((one) => `  ${toLine(one)}`).join('')}`,
  }
}
