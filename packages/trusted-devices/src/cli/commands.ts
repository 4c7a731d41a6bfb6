import { CliError, UsageError } from '@quillgate/http/cli'
import type { TrustedDevice } from '../devices/trusted-device.ts'
import { toDeviceJson } from '../http/wire.ts'
import type { CliDevices } from './load-devices.ts'

/** The options of all commands, as `node:util` parsed them. */
export interface Values {
  readonly config?: string
  readonly user?: string
  readonly device?: string
  readonly all?: boolean
  readonly reason?: string
  readonly 'older-than'?: string
  readonly limit?: string
  readonly cursor?: string
  readonly 'dry-run'?: boolean
  readonly json?: boolean
  readonly help?: boolean
}

/** What a command did, for machines and for people. */
export interface Report {
  readonly json: unknown
  readonly text: string
}

/** A command and the options that it takes beside `--config` and `--json`. */
export interface Command {
  readonly options: readonly (keyof Values)[]
  run(devices: CliDevices, values: Values): Promise<Report>
}

const DAY = 86_400

/** `cleanup`, `list` and `revoke`. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  cleanup: {
    options: ['older-than', 'dry-run'],
    async run(devices, values) {
      const days = values['older-than'] === undefined ? null : parseDays(values['older-than'])
      const { revoked, seenBefore, dryRun, failures } = await devices.cleanup({
        dryRun: values['dry-run'] ?? false,
        ...(days === null ? {} : { olderThan: days * DAY }),
      })
      const before = seenBefore?.toISOString() ?? null
      if (before === null) {
        throw new CliError('Devices never become stale here (staleAfter is null). Say --older-than <days>.')
      }
      if (failures.length > 0) {
        const users = failures.slice(0, 10).map(({ userId, error }) => `\n  ${userId}: ${String(error)}`)
        throw new CliError(`Revoked ${revoked} stale devices, but failed at ${failures.length} users:${users.join('')}`)
      }
      const done = dryRun ? '[dry run] Would revoke' : 'Revoked'
      return {
        json: { revoked, seen_before: before, dry_run: dryRun },
        text: `${done} ${revoked} stale devices (last seen before ${before}).\n`,
      }
    },
  },
  list: {
    options: ['user', 'limit', 'cursor'],
    async run(devices, { user, limit, cursor }) {
      if (limit !== undefined && !/^\d{1,3}$/.test(limit)) throw new UsageError('--limit must be 1 to 100.')
      const options = { ...(limit ? { limit: Number(limit) } : {}), ...(cursor === undefined ? {} : { cursor }) }
      const page = user === undefined ? await devices.listAll(options) : await devices.list(user, options)
      const more = page.nextCursor === null ? '' : `More with --cursor ${page.nextCursor}\n`
      return {
        json: { devices: page.devices.map(toJson), next_cursor: page.nextCursor },
        text: page.devices.length === 0 ? 'No devices.\n' : page.devices.map(toLine).join('') + more,
      }
    },
  },
  revoke: {
    options: ['user', 'device', 'all', 'reason', 'dry-run'],
    async run(devices, { user, device, all, reason = 'administrator', 'dry-run': dryRun = false }) {
      if (user === undefined) throw new UsageError('revoke needs --user <id>.')
      if ((device === undefined) === (all !== true)) throw new UsageError('revoke needs --device <uid> or --all.')
      const wanted = await findDevices(devices, user, device)
      if (device !== undefined && wanted.length === 0) throw new CliError(`User ${user} has no device ${device}.`)
      const revoked = dryRun ? wanted.length : await revoke(devices, user, device, reason)
      const done = dryRun ? '[dry run] Would revoke' : 'Revoked'
      return { json: { revoked, dry_run: dryRun }, text: `${done} ${revoked} devices of user ${user}.\n` }
    },
  },
}

async function revoke(devices: CliDevices, user: string, device: string | undefined, reason: string): Promise<number> {
  if (device === undefined) return devices.revokeAll(user, { reason })
  return (await devices.revoke(user, device, { reason })) ? 1 : 0
}

/** All devices of a user, or the one with this uid. */
async function findDevices(devices: CliDevices, user: string, uid: string | undefined): Promise<TrustedDevice[]> {
  const found: TrustedDevice[] = []
  let cursor: string | null = null
  do {
    const page = await devices.list(user, { limit: 100, cursor })
    found.push(...page.devices.filter((device) => uid === undefined || device.uid === uid.toLowerCase()))
    cursor = page.nextCursor
  } while (cursor !== null)
  return found
}

function parseDays(text: string): number {
  const days = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (days < 1) throw new UsageError('--older-than must be a whole number of days, 1 or more.')
  return days
}

function toJson(device: TrustedDevice): object {
  const { is_current: _, ...json } = toDeviceJson(device, '')
  return json
}

function toLine(device: TrustedDevice): string {
  const place = [device.city, device.country].filter((part) => part !== null).join(', ') || 'unknown place'
  const seen = device.lastSeenAt.toISOString()
  return `${device.uid}  user ${device.userId}  ${device.name || 'unnamed'}  ${place}  last seen ${seen}\n`
}
