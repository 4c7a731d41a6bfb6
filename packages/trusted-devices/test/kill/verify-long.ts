import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { SignalOptions } from './verify-signals.ts'

/**
 * Kills the processes of scenarios at each of their calls, and running servers at random moments
 * (`npm run verify:long -- signals`).
 *
 * @returns true if no signal was lost
 */
export async function run(options: SignalOptions): Promise<boolean> {
  // The script imports the packages from their sources, which needs options of Node.js. It
  // therefore runs in a separate process.
  const file = fileURLToPath(new URL('verify-signals.ts', import.meta.url))
  const args = ['--conditions=@quillgate/source', '--no-warnings', file, JSON.stringify(options)]
  const [code] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit')
  return code === 0
}
