import type { parseArgs } from 'node:util'

/** An option of the command line, as `node:util` parses it and `--help` describes it. */
interface CliOption {
  readonly type: 'string' | 'boolean'
  readonly multiple?: boolean
  /** Stands for the value. */
  readonly value?: string
  readonly help: string
}

/** The options of all commands. */
export const OPTIONS = {
  config: {
    type: 'string',
    value: 'file',
    help: 'exports the instance; default quillgate.config.ts, .js or .mjs',
  },
  user: {
    type: 'string',
    multiple: true,
    value: 'id',
    help: 'of this user; may be given several times',
  },
  country: {
    type: 'string',
    value: 'name',
    help: 'in this country, as locate returns it: DE; "unknown": in no known one',
  },
  browser: { type: 'string', value: 'text', help: 'whose browser has this in its name' },
  os: { type: 'string', value: 'text', help: 'whose operating system has this in its name' },
  address: {
    type: 'string',
    value: 'ip',
    help: 'with this address, or in this network: 203.0.113.0/24',
  },
  'created-before': {
    type: 'string',
    value: 'time',
    help: 'registered before 2026-01-31 or 2026-01-31T12:00Z',
  },
  'created-after': { type: 'string', value: 'time', help: 'registered then or later' },
  'seen-before': { type: 'string', value: 'time', help: 'last seen before' },
  'seen-after': { type: 'string', value: 'time', help: 'last seen then or later' },
  everything: { type: 'boolean', help: 'every device of every user' },
  device: { type: 'string', value: 'uid', help: 'this one of --user' },
  all: { type: 'boolean', help: 'all of --user; outbox replay: all there are' },
  reason: {
    type: 'string',
    value: 'text',
    help: 'the reason in the signals; default administrator',
  },
  state: { type: 'string', value: 'state', help: 'pending, delivered or dead' },
  destination: { type: 'string', value: 'name', help: 'for the receivers, or for this webhook' },
  event: { type: 'string', value: 'id', help: 'this one' },
  'older-than': {
    type: 'string',
    value: 'days',
    help: '1 or more; default the setting staleAfter',
  },
  limit: { type: 'string', value: 'n', help: 'at most so many, 1 to 100; default 50' },
  cursor: { type: 'string', value: 'cursor', help: 'where the page before ended' },
  'dry-run': { type: 'boolean', help: 'change nothing, only count' },
  json: { type: 'boolean', help: 'write the report as JSON, and errors as JSON to stderr' },
  help: { type: 'boolean', help: 'print this text' },
} as const

/** The name of an option. */
export type OptionName = keyof typeof OPTIONS

/** The options of a command line, parsed. */
export type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

/** One line for each option. */
export function describeOptions(names: readonly OptionName[]): string {
  const lines = names.map((name) => {
    const option: CliOption = OPTIONS[name]
    return [`  --${name}${option.value ? ` <${option.value}>` : ''}`, option.help] as const
  })
  const width = Math.max(...lines.map(([left]) => left.length)) + 3
  return lines.map(([left, right]) => `${left.padEnd(width)}${right}\n`).join('')
}
