import { ConfigurationError } from '@quillgate/http'
import { suggestion } from './near-names.ts'
import type { MarkdownEditorOptions } from './options.ts'

type Kind = 'string' | 'boolean' | 'function' | 'object' | 'any'

const OPTIONS: Readonly<Record<keyof MarkdownEditorOptions, Kind>> = {
  secret: 'any',
  database: 'any',
  storage: 'object',
  authenticate: 'function',
  settings: 'any',
  basePath: 'any',
  publicOrigin: 'any',
  trustedProxies: 'any',
  csrf: 'object',
  rateLimiter: 'object',
  renderer: 'object',
  uploadHandler: 'object',
  authorize: 'function',
  canFinalize: 'function',
  scan: 'function',
  records: 'object',
  existingRecords: 'boolean',
  migrate: 'boolean',
  prefix: 'string',
  logger: 'object',
  clock: 'function',
}

const REQUIRED = ['secret', 'database', 'storage', 'authenticate'] as const

/** Methods without which an object is not what its option asks for. */
const METHODS: Readonly<Partial<Record<keyof MarkdownEditorOptions, readonly string[]>>> = {
  storage: ['write', 'read', 'stat', 'copy', 'remove', 'list'],
  csrf: ['verify'],
  rateLimiter: ['consume'],
  renderer: ['render'],
  uploadHandler: ['validate', 'save'],
  records: ['all'],
  logger: ['warn', 'error'],
}

/**
 * Checks the shape of the options; what they say is checked by those who use them. An option that does not exist is a
 * mistake, also when it will exist in a later version.
 *
 * @throws ConfigurationError that names the option
 */
export function checkOptions(options: Readonly<Record<string, unknown>>): void {
  if (typeof options !== 'object' || options === null)
    throw new ConfigurationError('options', 'must be an object', options)
  const names = Object.keys(OPTIONS)
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) throw new ConfigurationError(name, `is not an option. ${suggestion(name, names)}`)
  }
  for (const name of REQUIRED) {
    if (options[name] === undefined) throw new ConfigurationError(name, 'is required')
  }
  for (const [name, kind] of Object.entries(OPTIONS)) {
    const value = options[name]
    if (value === undefined || kind === 'any') continue
    if (typeof value !== kind || value === null) throw new ConfigurationError(name, `must be a ${kind}`, value)
    checkMethods(name, value)
  }
}

function checkMethods(name: string, value: unknown): void {
  const methods = METHODS[name as keyof MarkdownEditorOptions] ?? []
  const missing = methods.filter((method) => typeof (value as Record<string, unknown>)[method] !== 'function')
  if (missing.length > 0)
    throw new ConfigurationError(name, `must have ${missing.map((each) => `${each}()`).join(', ')}`)
}
