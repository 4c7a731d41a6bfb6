import { UsageError } from '@quillgate/server/cli'
import { type Command, failuresOf } from './command.ts'
import { list } from './list-command.ts'
import { OUTBOX_COMMANDS } from './outbox-commands.ts'
import { revoke } from './revoke-command.ts'

const DAY = 86_400

const cleanup: Command = {
  summary:
    'revoke devices that were not used for staleAfter, or for --older-than; reduce old addresses',
  options: ['older-than', 'dry-run'],
  prepare({ 'older-than': olderThan, 'dry-run': dryRun = false }) {
    const days = olderThan === undefined ? null : parseDays(olderThan)
    return async (devices) => {
      const report = await devices.registry.cleanup({
        dryRun,
        ...(days === null ? {} : { olderThan: days * DAY }),
      })
      const { revoked, reducedAddresses, failures } = report
      const seenBefore = report.seenBefore?.toISOString() ?? null
      const failed = failuresOf(failures)
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
          failures: failed.json,
        },
        text: `${revoking} ${revoked} stale devices (${which}), ${reducing} ${reducedAddresses} addresses.\n`,
        failure: failed.text,
      }
    }
  },
}

const openapi: Command = {
  summary: 'write the OpenAPI document of the endpoints',
  options: [],
  isOffline: true,
  prepare: () => async (devices) => {
    const document = devices.openApi()
    return { json: document, text: `${JSON.stringify(document, null, 2)}\n` }
  },
}

/** The commands by what is typed. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  cleanup,
  list,
  revoke,
  openapi,
  ...OUTBOX_COMMANDS,
}

function parseDays(text: string): number {
  const days = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (days < 1) throw new UsageError('--older-than must be a whole number of days, 1 or more.')
  return days
}
