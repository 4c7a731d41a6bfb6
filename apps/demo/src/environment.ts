import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export interface Environment {
  readonly port: number
  readonly host: string
  readonly dataDirectory: string
  readonly databaseUrl: string
  /** The URL of the storage for media. If it is null, media are stored in the data folder. */
  readonly storageUrl: string | null
  readonly secret: string
  readonly countryHeader: string | null
  readonly maxDevices: number | null
  /** A duration in seconds, like the two following values. */
  readonly orphanGrace: number
  readonly tempMaxAge: number | undefined
  readonly unsavedGrace: number | undefined
  readonly loginRateLimit: string | null
  readonly uploadRateLimit: string | null
  readonly renderRateLimit: string | null
}

/**
 * Reads the demo's environment variables. Creates the data folder and the secret if necessary.
 *
 * @param variables usually `process.env`
 * @throws Error that names the variable with an invalid value
 */
export function readEnvironment(variables: NodeJS.ProcessEnv): Environment {
  const dataDirectory = resolve(variables['QUILLGATE_DATA'] || 'data')
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  const host = variables['HOST'] || '127.0.0.1'
  return {
    port: integer(variables, 'PORT', 0, 65_535) ?? 3000,
    host,
    dataDirectory,
    databaseUrl:
      variables['QUILLGATE_DATABASE_URL'] || `sqlite:${join(dataDirectory, 'quillgate.sqlite')}`,
    storageUrl: variables['QUILLGATE_STORAGE_URL'] || null,
    secret: keptSecret(join(dataDirectory, 'secret')),
    countryHeader: variables['QUILLGATE_COUNTRY_HEADER'] || null,
    maxDevices: integer(variables, 'QUILLGATE_MAX_DEVICES', 1) ?? null,
    orphanGrace: integer(variables, 'QUILLGATE_ORPHAN_GRACE', 0) ?? 0,
    tempMaxAge: integer(variables, 'QUILLGATE_TEMP_MAX_AGE', 0),
    unsavedGrace: integer(variables, 'QUILLGATE_UNSAVED_GRACE', 0),
    loginRateLimit: rate(variables, 'QUILLGATE_LOGIN_RATE_LIMIT', host, '5/minute'),
    uploadRateLimit: rate(variables, 'QUILLGATE_UPLOAD_RATE_LIMIT', host, '60/minute'),
    renderRateLimit: rate(variables, 'QUILLGATE_RENDER_RATE_LIMIT', host, '60000/minute'),
  }
}

function integer(
  variables: NodeJS.ProcessEnv,
  name: string,
  minimum: number,
  maximum: number = Number.MAX_SAFE_INTEGER,
): number | undefined {
  const value = variables[name]
  if (value === undefined || value === '') return undefined
  const number = Number(value)
  if (!Number.isSafeInteger(number) || number < minimum || number > maximum) {
    throw new Error(
      `${name} must be a whole number from ${minimum} to ${maximum} (got ${JSON.stringify(value)}).`,
    )
  }
  return number
}

function rate(
  variables: NodeJS.ProcessEnv,
  name: string,
  host: string,
  fallback: string,
): string | null {
  const value = variables[name]
  if (value !== 'off') return value || fallback
  if (!['127.0.0.1', '::1', 'localhost'].includes(host))
    throw new Error(`${name}=off is allowed only if HOST is a loopback address.`)
  return null
}

/** Stores the secret at the first start, so that sessions survive restarts. */
function keptSecret(file: string): string {
  if (!existsSync(file)) {
    try {
      writeFileSync(file, randomBytes(48).toString('base64url'), { mode: 0o600, flag: 'wx' })
    } catch (error) {
      // Another process has created the secret in the meantime. This process uses that secret.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  return readFileSync(file, 'utf8').trim()
}
