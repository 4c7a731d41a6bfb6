import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { KillOptions } from './verify-kills.ts'

/**
 * Kills processes (`npm run verify:long -- kill`). Kills each scenario at each of its calls, on
 * every available engine. Then kills running servers `count` times at random moments.
 *
 * @returns whether all checks passed
 */
export async function run(options: KillOptions): Promise<boolean> {
  // Starts a new process that imports the sources of the packages.
  const file = fileURLToPath(new URL('verify-kills.ts', import.meta.url))
  const args = ['--conditions=@quillgate/source', '--no-warnings', file, JSON.stringify(options)]
  const [code] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit')
  return code === 0
}
