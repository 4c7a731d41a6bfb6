import { serverError } from './errors.ts'

/** Imports an optional package. @param user the feature that needs the package, for the message */
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

// Returns false if the package exists but imports a missing module. Node's error names the module.
function isNotInstalled(error: unknown, packageName: string): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    error.message.includes(`'${packageName}'`)
  )
}
