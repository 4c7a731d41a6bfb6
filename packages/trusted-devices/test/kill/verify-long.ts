import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { SignalOptions } from './verify-signals.ts'

/**
 * Kills processes (`npm run verify:long -- signals`): each scenario before and after each of its calls, on every engine that
 * answers; then running servers at random moments, as often as `count` says.
 *
 * @returns true when no signal was lost
 */
export async function run(options: SignalOptions): Promise<boolean> {
  // A process of its own, which reads the packages' sources.
  const file = fileURLToPath(new URL('verify-signals.ts', import.meta.url))
  const args = ['--conditions=@quillgate/source', '--no-warnings', file, JSON.stringify(options)]
  const [code] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit')
  return code === 0
}
