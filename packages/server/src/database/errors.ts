import { isQuillgateError, type QuillgateError, serverError } from '../core/errors.ts'

/**
 * The meaning of a driver's error:
 * - `unique`: the value already exists in a unique or primary key;
 * - `race`: the transaction conflicted with another transaction, so the server rolled it back;
 * - `lock`: another transaction did not release a lock in time, or SQLite is busy;
 * - `slow`: the statement exceeded its time limit. A retry would only add load;
 * - `lost`: the server cannot be reached or rejects the connection, or the connection broke.
 */
type Kind = 'unique' | 'race' | 'lock' | 'slow' | 'lost'

const CODES: Readonly<Record<Kind, readonly (string | number)[]>> = {
  unique: [
    '23505', // PostgreSQL unique_violation
    'ER_DUP_ENTRY',
    'SQLITE_CONSTRAINT_UNIQUE',
    'SQLITE_CONSTRAINT_PRIMARYKEY',
    'SQLITE_CONSTRAINT_ROWID',
    ...[2067, 1555, 2579], // The same errors in node:sqlite: https://www.sqlite.org/rescode.html
  ],
  race: [
    '40001', // PostgreSQL serialization_failure
    '40P01', // PostgreSQL deadlock_detected
    'ER_LOCK_DEADLOCK', // Galera also sends this code for a rejected commit.
    'ER_CHECKREAD', // MariaDB with innodb_snapshot_isolation
  ],
  lock: [
    '55P03', // PostgreSQL lock_not_available
    'ER_LOCK_WAIT_TIMEOUT',
  ],
  slow: ['57014'], // PostgreSQL query_canceled
  lost: [
    ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT'],
    ...['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'PROTOCOL_CONNECTION_LOST'],
    ...['ER_CON_COUNT_ERROR', 'ER_SERVER_SHUTDOWN', 'ER_CONNECTION_KILLED'],
    // PostgreSQL: admin_shutdown, crash_shutdown, cannot_connect_now, too_many_connections
    ...['57P01', '57P02', '57P03', '53300'],
  ],
}
const KINDS = new Map<unknown, Kind>(
  (Object.keys(CODES) as Kind[]).flatMap((kind) => CODES[kind].map((code) => [code, kind])),
)
const CONNECTION_EXCEPTION = /^08...$/
/** Messages of errors of pg and mysql2 that have no code. */
const LOST_MESSAGE =
  /^(connection terminated|client has encountered a connection error|client was closed|timeout exceeded when trying to connect|pool is closed|can't add new command when connection is in closed state)/i
const MARIADB_STATEMENT_TIMEOUT = 1969 // mysql2 has no name for this code.
const SQLITE_BUSY = 5
const SQLITE_LOCKED = 6

const UNREACHABLE = 'The database cannot be reached. Try again in a moment.'
const UNUSABLE = 'The database cannot be opened. See the server log.'

interface DriverError {
  readonly code?: unknown
  readonly errcode?: unknown
  readonly errno?: unknown
  readonly message?: unknown
}

/** Returns true if a statement failed because a value already exists in a unique or primary key. */
export function isUniqueViolation(error: unknown): boolean {
  return hasKind(error, 'unique')
}

/** Returns true if the whole transaction can be retried. */
export function isTransient(error: unknown): boolean {
  return hasKind(error, 'race', 'lock')
}

/** Returns true for SQLite's errors "busy" and "locked", from node:sqlite and better-sqlite3. */
export function isSqliteBusy(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as DriverError
  if (typeof errcode === 'number')
    return (errcode & 0xff) === SQLITE_BUSY || (errcode & 0xff) === SQLITE_LOCKED
  return typeof code === 'string' && /^SQLITE_(BUSY|LOCKED)/.test(code)
}

/** Returns true if the error, or an error that it wraps, has one of these kinds. */
export function hasKind(error: unknown, ...kinds: readonly (Kind | null)[]): boolean {
  return causesOf(error).some((cause) => kinds.includes(kindOf(cause)))
}

function kindOf(error: DriverError): Kind | null {
  const { code, errcode, errno, message } = error
  const kind = KINDS.get(code) ?? KINDS.get(errcode)
  if (kind) return kind
  if (isSqliteBusy(error)) return 'lock'
  if (errno === MARIADB_STATEMENT_TIMEOUT) return 'slow'
  const isLost =
    (typeof code === 'string' && CONNECTION_EXCEPTION.test(code)) ||
    (typeof message === 'string' && LOST_MESSAGE.test(message))
  return isLost ? 'lost' : null
}

/**
 * Converts a lost connection, a conflict or a timeout to a `QuillgateError`, whose `cause` is the
 * driver's error. Returns any other error unchanged.
 */
export function toDatabaseError(error: unknown): unknown {
  if (isQuillgateError(error)) return error
  if (hasKind(error, 'lost')) return databaseUnavailable(error)
  if (!hasKind(error, 'race', 'lock', 'slow')) return error
  return serverError(
    'database_busy',
    'The database is busy. Try again in a moment.',
    retryLater(error),
  )
}

/** @param where the URL of the database, without its password */
function databaseUnavailable(cause: unknown, where = ''): QuillgateError {
  const database = where === '' ? 'The database' : `The database ${where}`
  const state = hasKind(cause, 'lost') ? 'reached' : 'opened'
  const internal = `${database} cannot be ${state}: ${reasonOf(cause)}.`
  return state === 'reached'
    ? serverError('database_unavailable', UNREACHABLE, { ...retryLater(cause), internal })
    : serverError('database_unavailable', UNUSABLE, { cause, internal })
}

/** Opens a connection. If this fails, throws a `QuillgateError`, usually `database_unavailable`. */
export async function connecting<Result>(
  where: string,
  connect: () => Promise<Result>,
): Promise<Result> {
  try {
    return await connect()
  } catch (error) {
    throw isQuillgateError(error) ? error : databaseUnavailable(error, where)
  }
}

function retryLater(cause: unknown): { cause: unknown; headers: Record<string, string> } {
  return { cause, headers: { 'retry-after': '1' } }
}

// Call this only for connection errors, because other messages may contain SQL and parameters.
function reasonOf(cause: unknown): string {
  const causes = causesOf(cause)
  const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
  const code = causes.map((each) => each.code).find(isText) ?? ''
  if (code === 'ERR_UNKNOWN_BUILTIN_MODULE')
    return `node:sqlite needs Node 22.18 or later, but this is ${process.version}`
  const reason = causes.map(({ message }) => message).find(isText) ?? ''
  const known = reason.includes(code) ? [reason] : [code, reason]
  const text = known.filter((part) => part !== '').join(': ')
  return text.replace(/\.$/, '') || 'unknown reason'
}

/** The properties in which errors of database libraries contain the driver's own error. */
const CAUSES = ['cause', 'driverError', 'original'] as const

/** Returns the error and all errors that it wraps. */
function causesOf(error: unknown): DriverError[] {
  const found = new Set<object>()
  const visit = (candidate: unknown): void => {
    if (typeof candidate !== 'object' || candidate === null || found.has(candidate)) return
    found.add(candidate)
    for (const key of CAUSES) visit((candidate as Record<string, unknown>)[key])
    if (candidate instanceof AggregateError) for (const inner of candidate.errors) visit(inner)
  }
  visit(error)
  return [...found] as DriverError[]
}
