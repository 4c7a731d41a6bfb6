import { driverMissing } from './errors.ts'
import type { Dialect } from './types.ts'

/**
 * Imports an optional peer where it is used.
 *
 * @throws QuillgateError `driver_missing` when the package is not installed
 */
export async function loadDriver<Module>(
  packageName: string,
  dialect: Dialect,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') throw driverMissing(packageName, dialect, error)
    throw error
  }
}
