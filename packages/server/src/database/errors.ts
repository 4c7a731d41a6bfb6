import { isQuillgateError, type QuillgateError, serverError } from '../core/errors.ts'

/** Which members of a database library's error lead to the driver's own error. */
const CAUSES = ['cause', 'driverError', 'original'] as const

const UNIQUE_VIOLATIONS = new Set<unknown>([
  '23505', // PostgreSQL unique_violation
  'ER_DUP_ENTRY',
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
  'SQLITE_CONSTRAINT_ROWID',
])
/** Extended result codes: https://www.sqlite.org/rescode.html */
const SQLITE_UNIQUE_VIOLATIONS = new Set([2067, 1555, 2579])

/** Another transaction won, and the server undid this one at once. */
const LOST_RACE = new Set<unknown>([
  '40001', // PostgreSQL serialization_failure
  '40P01', // PostgreSQL deadlock_detected
  'ER_LOCK_DEADLOCK', // Also a commit that a Galera cluster refuses.
  'ER_CHECKREAD', // MariaDB with innodb_snapshot_isolation
])
const LOCK_TIMEOUT = new Set<unknown>([
  '55P03', // PostgreSQL lock_not_available
  'ER_LOCK_WAIT_TIMEOUT',
])
/** The statement took longer than it may. To run it again at once would make matters worse. */
const TOO_SLOW = new Set<unknown>([
  '57014', // PostgreSQL query_canceled
  1969, // MariaDB ER_STATEMENT_TIMEOUT, whose name mysql2 does not know
])
const SQLITE_BUSY = 5
const SQLITE_LOCKED = 6

const LOST = new Set<unknown>([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'PROTOCOL_CONNECTION_LOST',
  'ER_CON_COUNT_ERROR',
  'ER_SERVER_SHUTDOWN',
  'ER_CONNECTION_KILLED',
  '57P01', // PostgreSQL admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '53300', // too_many_connections
])
/** Messages of pg and mysql2 that have no code. */
const LOST_MESSAGE =
  /^(connection terminated|client has encountered a connection error|client was closed|timeout exceeded when trying to connect|pool is closed|can't add new command when connection is in closed state)/i

const WRONG_USER =
  'The database server refused the user or the password. Check them in the URL of the database.'
const NO_DATABASE =
  'The database server has no such database, or not for this user. Create it, or check its name in the URL.'
/**
 * Why a server that answers gives no connection; the driver's own message may name user and host.
 */
const REFUSALS: ReadonlyMap<unknown, string> = new Map([
  ['28P01', WRONG_USER], // PostgreSQL invalid_password
  ['28000', WRONG_USER], // invalid_authorization_specification
  ['3D000', NO_DATABASE], // invalid_catalog_name
  ['ER_ACCESS_DENIED_ERROR', WRONG_USER],
  ['ER_ACCESS_DENIED_NO_PASSWORD_ERROR', WRONG_USER],
  ['ER_BAD_DB_ERROR', NO_DATABASE],
  ['ER_DBACCESS_DENIED_ERROR', NO_DATABASE],
])

/** True when the statement failed because a unique key or a primary key already has that value. */
export function isUniqueViolation(error: unknown): boolean {
  return causesOf(error).some(
    (cause) => UNIQUE_VIOLATIONS.has(cause.code) || isSqliteCode(cause, SQLITE_UNIQUE_VIOLATIONS),
  )
}

/**
 * True when the statement failed only because of other transactions: a deadlock, a serialization
 * failure, a lock not given in time or a busy database. The whole transaction may run again.
 */
export function isTransient(error: unknown): boolean {
  return (
    isLostRace(error) ||
    causesOf(error).some((cause) => LOCK_TIMEOUT.has(cause.code) || isSqliteBusy(cause))
  )
}

/**
 * True when the server undid the transaction because another one won: a deadlock or a serialization
 * failure.
 */
export function isLostRace(error: unknown): boolean {
  return causesOf(error).some((cause) => LOST_RACE.has(cause.code))
}

/** True for SQLite's "busy" and "locked", from node:sqlite and from better-sqlite3. */
export function isSqliteBusy(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as DriverError
  if (typeof errcode === 'number')
    return (errcode & 0xff) === SQLITE_BUSY || (errcode & 0xff) === SQLITE_LOCKED
  return typeof code === 'string' && /^SQLITE_(BUSY|LOCKED)/.test(code)
}

/** True when the server cannot be reached, refused the connection, or the connection broke. */
export function isConnectionLost(error: unknown): boolean {
  return causesOf(error).some(
    (cause) =>
      LOST.has(cause.code) ||
      (typeof cause.code === 'string' && /^08...$/.test(cause.code)) ||
      (typeof cause.message === 'string' && LOST_MESSAGE.test(cause.message)),
  )
}

/**
 * Gives the failures that a caller can do something about a stable code; any other error is
 * returned as it is. The driver's error stays in `cause`, so that {@link isTransient} still sees
 * it.
 */
export function toDatabaseError(error: unknown): unknown {
  if (isQuillgateError(error)) return error
  if (isConnectionLost(error)) return databaseUnavailable(error)
  if (
    isTransient(error) ||
    causesOf(error).some(({ code, errno }) => TOO_SLOW.has(code) || TOO_SLOW.has(errno))
  ) {
    return serverError(
      'database_busy',
      'The database is busy. Try again in a moment.',
      retryLater(error),
    )
  }
  return error
}

/**
 * 503 `database_unavailable`: without a connection nothing can be done. `detail` tells clients
 * whether to wait. `message` also says which database it is and why; the driver's error stays in
 * `cause`.
 *
 * @param where the database, without its password
 */
export function databaseUnavailable(cause: unknown, where = ''): QuillgateError {
  const database = where === '' ? 'The database' : `The database ${where}`
  const reason = reasonOf(cause)
  if (isConnectionLost(cause)) {
    return serverError(
      'database_unavailable',
      'The database cannot be reached. Try again in a moment.',
      {
        ...retryLater(cause),
        internal: `${database} cannot be reached: ${reason}.`,
      },
    )
  }
  const refusal = causesOf(cause).flatMap(({ code }) => REFUSALS.get(code) ?? [])[0]
  const detail = refusal ?? 'The database cannot be opened. The log of the server says why.'
  const internal = refusal
    ? `${refusal}${where === '' ? '' : ` (${where})`}`
    : `${database} cannot be opened: ${reason}.`
  return serverError('database_unavailable', detail, { cause, internal })
}

/**
 * The driver's own words, with its code. Only for errors that quote no statement and no parameters.
 */
function reasonOf(cause: unknown): string {
  const causes = causesOf(cause)
  if (causes.some(({ code }) => code === 'ERR_UNKNOWN_BUILTIN_MODULE')) {
    return `node:sqlite needs Node 22.18 or later; this is ${process.version}`
  }
  const code = causes.map((each) => each.code).find((each) => typeof each === 'string')
  const text = causes
    .map((each) => each.message)
    .find((each) => typeof each === 'string' && each !== '')
  const reason = typeof text === 'string' ? text.replace(/\.$/, '') : ''
  if (typeof code !== 'string' || reason.includes(code)) return reason || 'unknown reason'
  return reason === '' ? code : `${code}: ${reason}`
}

/**
 * 503 `commit_unknown`: the connection broke during COMMIT, so the transaction may or may not have
 * happened.
 */
export function commitUnknown(cause: unknown): QuillgateError {
  return serverError(
    'commit_unknown',
    'The connection to the database broke during the commit. Check whether the change was made before you repeat it.',
    { cause },
  )
}

/** 500 `transaction_misuse`: the database itself was used where only the transaction may be. */
export function transactionMisuse(): QuillgateError {
  return serverError(
    'transaction_misuse',
    'The database was used inside its own transaction, which would wait for itself. Use the `trx` that the transaction gave you.',
  )
}

interface DriverError {
  readonly code?: unknown
  readonly errcode?: unknown
  readonly errno?: unknown
  readonly message?: unknown
  readonly errors?: unknown
}

function retryLater(cause: unknown): { cause: unknown; headers: Record<string, string> } {
  return { cause, headers: { 'retry-after': '1' } }
}

function isSqliteCode(error: DriverError, codes: ReadonlySet<number>): boolean {
  return typeof error.errcode === 'number' && codes.has(error.errcode)
}

/** The error and everything that it wraps; cycles end the walk. */
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
