import { serverError } from './errors.ts'

/**
 * Returns the error to throw if the `import()` of an optional package failed. The `import()` must
 * be inside `try`, because bundlers then accept that the package is not installed.
 *
 * @param user the feature that needs the package, for the message
 * @example
 * try {
 *   return await import('pg')
 * } catch (error) {
 *   throw importError(error, 'pg', 'PostgreSQL')
 * }
 */
export function importError(error: unknown, packageName: string, user: string): unknown {
  if (!isNotInstalled(error, packageName)) return error
  const message = `${user} needs the package ${packageName}: run npm install ${packageName}.`
  return serverError('driver_missing', message, { cause: error })
}

// Returns false if the package exists but imports a missing module. The error names the module.
function isNotInstalled(error: unknown, packageName: string): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    // Bundled applications can have the code of `require`, which is the second one.
    (error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND') &&
    error.message.includes(`'${packageName}'`)
  )
}
