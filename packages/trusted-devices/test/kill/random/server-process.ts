import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { ServerOptions } from './server.ts'

/** Starts servers; the next one loads its code while the last one still runs. */
export interface ServerHouse {
  start(options: ServerOptions): Promise<RunningServer>
  close(): Promise<void>
}

/** A server to be killed. */
export interface RunningServer {
  readonly origin: string
  /** SIGKILL; fulfils when the process is gone. */
  kill(): Promise<void>
}

/** Below `node_modules`, so that drivers are found from there. */
const BUNDLE = fileURLToPath(new URL('../../../../../node_modules/.cache/quillgate-kill/', import.meta.url))

/** Builds the server once, in one file, for it is started a thousand times. */
export async function openServerHouse(): Promise<ServerHouse> {
  const outfile = `${BUNDLE}devices-${process.pid}.mjs`
  await mkdir(BUNDLE, { recursive: true })
  await build({
    entryPoints: [fileURLToPath(new URL('server.ts', import.meta.url))],
    ...{ outfile, bundle: true, platform: 'node', format: 'esm', target: 'node22', logLevel: 'error' },
    conditions: ['@quillgate/source'],
    // For packages that are CommonJS.
    banner: { js: "import { createRequire as from } from 'node:module'\nconst require = from(import.meta.url)" },
    minify: true,
    external: ['pg', 'mysql2', 'maxmind', '@electric-sql/pglite', 'ioredis'],
  })
  let spare = spawnServer(outfile)
  return {
    async start(options) {
      const child = spare
      spare = spawnServer(outfile)
      child.send(options)
      const [answer] = (await Promise.race([once(child, 'message'), deathOf(child)])) as [Record<string, unknown>]
      if (answer['port'] === undefined) throw new Error(`The server did not start: ${String(answer['error'])}`)
      return { origin: `http://127.0.0.1:${String(answer['port'])}`, kill: () => kill(child) }
    },
    async close() {
      await kill(spare)
      await rm(outfile)
    },
  }
}

function spawnServer(file: string): ChildProcess {
  const child = fork(file, {
    execArgv: ['--no-warnings'],
    env: { ...process.env, NODE_COMPILE_CACHE: BUNDLE },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  child.on('error', () => {})
  return child
}

async function deathOf(child: ChildProcess): Promise<never> {
  const [code, signal] = await once(child, 'exit')
  throw new Error(`The server ended with ${code ?? signal}.`)
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
