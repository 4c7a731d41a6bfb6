import { serverError } from './errors.ts'

/**
 * Imports an optional peer.
 *
 * @param user what needs the package, for the error
 * @throws QuillgateError `driver_missing` when the package is not installed; other errors of
 * `load` are passed on
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

/** False for a module that is missing inside the package: the original error explains it. */
function isNotInstalled(error: unknown, packageName: string): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    error.message.includes(`'${packageName}'`)
  )
}
