import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Repeats many simultaneous logins on a Galera cluster (`npm run verify:long -- galera`). */
export async function run({ count }: { readonly count: number }): Promise<boolean> {
  if (!process.env['QUILLGATE_TEST_GALERA_URLS']) {
    console.log('galera: skipped, because QUILLGATE_TEST_GALERA_URLS names no nodes')
    return true
  }
  const file = fileURLToPath(new URL('galera.test.ts', import.meta.url))
  const env = { ...process.env, QUILLGATE_TEST_STORMS: String(count) }
  const [code] = await once(
    spawn('npx', ['vitest', 'run', file], { stdio: 'inherit', env }),
    'exit',
  )
  return code === 0
}
