import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { T0 } from './generated-media.ts'
import type { Ledger } from './sweep-ledger.isolate.ts'

/** The time and memory of a command, including its start. */
export interface Taken {
  /** In ms. */
  readonly wall: number
  /** In ms. */
  readonly cpu: number
  /** The maximum memory of the process (RSS), in bytes. */
  readonly memory: number
}

const HOURS = 3_600_000

/** Runs `markdown-editor` on a generated ledger, some hours after its files were uploaded. */
export async function runCli(
  ledger: Ledger,
  count: number,
  command: readonly string[],
  hours: number,
): Promise<{ report: Readonly<Record<string, unknown>>; taken: Taken }> {
  const taken = join(ledger.directory, 'taken.json')
  const config = await writeConfig(ledger.directory)
  const start = performance.now()
  const child = spawn(process.execPath, [program(), ...command, '--json', '--config', config], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      LEDGER_URL: ledger.url,
      LEDGER_DIRECTORY: ledger.directory,
      LEDGER_COUNT: String(count),
      LEDGER_NOW: String(T0 + hours * HOURS),
      LEDGER_TAKEN: taken,
    },
  })
  const closed = once(child, 'close')
  const output = await new Response(child.stdout as never).text()
  await closed
  const wall = performance.now() - start
  const report = JSON.parse(output) as Record<string, unknown>
  return {
    report,
    taken: { wall, ...(JSON.parse(await readFile(taken, 'utf8')) as Omit<Taken, 'wall'>) },
  }
}

function program(): string {
  return fileURLToPath(
    new URL('../../../packages/markdown-editor/bin/markdown-editor.js', import.meta.url),
  )
}

/**
 * Writes the configuration as JavaScript. Removing the types at run time would take memory, and
 * real applications are built before they run.
 */
async function writeConfig(directory: string): Promise<string> {
  for (const name of ['generated-media', 'sweep-config']) {
    const source = stripTypeScriptTypes(
      await readFile(new URL(`./${name}.ts`, import.meta.url), 'utf8'),
    )
    const script = source
      .replace(/(?<=from ')@[^']+/g, (specifier) => import.meta.resolve(specifier))
      .replace(/(?<=from '\.\/[\w-]+)\.ts/g, '.mjs')
    await writeFile(join(directory, `${name}.mjs`), script)
  }
  return join(directory, 'sweep-config.mjs')
}
