import { serverError } from './errors.ts'

/**
 * Imports an optional peer where it is used.
 *
 * @param packageName what to install
 * @param user what needs it, for the error
 * @param load imports it
 * @throws QuillgateError `driver_missing` when the package is not installed; what is wrong inside
 * of an installed one is passed on
 * @example
 * const { default: pg } = await loadPackage('pg', 'PostgreSQL', () => import('pg'))
 */
export async function loadPackage<Module>(
  packageName: string,
  user: string,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (!isNotInstalled(error, packageName)) throw error
    const message = `${user} needs the package ${packageName}: run npm install ${packageName}.`
    throw serverError('driver_missing', message, { cause: error })
  }
}

// A module that is missing inside the package is a broken installation, which the original error
// explains better.
function isNotInstalled(error: unknown, packageName: string): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    error.message.includes(`'${packageName}'`)
  )
}
