import { type QuillgateError, serverError } from '@quillgate/server/core'
import type { RequestContext } from '@quillgate/server/http'
import { isTemporaryPath, type Medium } from '../media/ledger/medium.ts'
import type { MediaServices } from '../media/services.ts'
import type { EditorAccess } from './access.ts'

/** A file that the user may see, and the location of its bytes. */
export interface FoundMedium {
  readonly medium: Medium
  readonly key: string
  readonly size: number
  readonly isTemporary: boolean
  /** True if the option `authorize` decides who may see the file. */
  readonly isRestricted: boolean
}

/** The new key of a file. Its URL has changed, because the file became permanent. */
type Moved = { readonly movedTo: string }

/** Finds a file. For missing, deleted and forbidden files, throws the same 404 `not_found`. */
export async function findMedium(
  access: EditorAccess,
  { ledger, urls }: MediaServices,
  context: RequestContext,
  pathname: string,
): Promise<FoundMedium | Moved> {
  // Authenticates before the ledger is read. So the response time does not show whether a file
  // exists.
  const mayRead = await access.readRule(context)
  const url = urls.parse(pathname)
  const path = url?.path.normalize('NFC') ?? ''
  const isExact = url !== null && folderOf(pathname) === folderOf(urls.build(path))
  const medium = isExact && (await ledger.get(url.id))
  const found = medium && locate(medium, path)
  if (!found || (mayRead && !(await mayRead(medium)))) throw noSuchFile()
  return { ...found, isRestricted: mayRead !== null }
}

// A request must spell the folder as the editor does, so that access rules of a proxy apply. Only
// the file name can be encoded in different ways.
function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

/** Returns null for a wrong path or state. */
function locate(medium: Medium, path: string): Omit<FoundMedium, 'isRestricted'> | Moved | null {
  const { key, tempKey, size, state } = medium
  if (size === null) return null
  const isTemporary = state === 'temporary' || state === 'promoting'
  if (isTemporary && isTemporaryPath(medium, path))
    return { medium, key: tempKey, size, isTemporary }
  if (state !== 'permanent' || key === null) return null
  if (path === key) return { medium, key, size, isTemporary }
  return isTemporaryPath(medium, path) ? { movedTo: key } : null
}

/** Creates the error 404 `not_found`. */
export function noSuchFile(): QuillgateError {
  return serverError('not_found', 'There is no such file. It may have been deleted.')
}
