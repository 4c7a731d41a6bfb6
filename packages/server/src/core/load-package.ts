import { serverError } from './errors.ts'

/** Imports an optional peer dependency. @param user the feature that needs it, for the message */
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

// Returns false if a module inside the package is missing, because that error names the module.
function isNotInstalled(error: unknown, packageName: string): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    error.message.includes(`'${packageName}'`)
  )
}
