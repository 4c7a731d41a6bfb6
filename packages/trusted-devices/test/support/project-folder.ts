import { mkdtemp, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MODULES = fileURLToPath(new URL('../../../../node_modules', import.meta.url))

/**
 * Creates a folder outside the repository. Its files can import the packages like an application.
 */
export async function createProjectFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quillgate-project-'))
  await symlink(MODULES, join(folder, 'node_modules'), 'junction')
  return folder
}
