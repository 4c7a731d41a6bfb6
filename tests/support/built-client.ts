import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClientAnswer } from './client-builds.ts'
import { servicesUrl } from './services-url.ts'

/** A built client: the scripts and styles that browsers load. */
export interface BuiltClient {
  readonly folder: string
  /** The media types of the files, by file name. */
  readonly types: Readonly<Record<string, string>>
}

/** Returns the client of a package. The first test file of a run builds it from the sources. */
export async function builtClient(
  name: 'markdown-editor-element' | 'trusted-devices-client',
): Promise<BuiltClient> {
  const response = await fetch(`${servicesUrl()}/client/${name}`)
  const answer = (await response.json()) as ClientAnswer
  if ('error' in answer) throw new Error(answer.error)
  const { files } = JSON.parse(await readFile(join(answer.folder, 'manifest.json'), 'utf8')) as {
    files: Record<string, string>
  }
  return { folder: answer.folder, types: files }
}
