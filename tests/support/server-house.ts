import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/**
 * Starts servers that tests kill. The next server loads its code while the current server is still
 * running.
 */
export interface ServerHouse<Options> {
  /** Sends the options to the next server, and waits until it reports its port. */
  start(options: Options): Promise<RunningServer>
  /** Starts a server and kills it after the given milliseconds, even if it is not ready. */
  killAtStart(options: Options, milliseconds: number): Promise<void>
  close(): Promise<void>
}

/** A server that a test can kill. */
export interface RunningServer {
  readonly origin: string
  /** Sends SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void>
}

/** The bundle is in `node_modules`, so that it finds the database drivers. */
const BUNDLE = fileURLToPath(new URL('../../node_modules/.cache/quillgate-kill/', import.meta.url))

/**
 * Bundles a server into one file, because tests start it a thousand times.
 *
 * @param source the module of the server. It gets its options as a message, and answers with `{
 * port }` or `{ error }`.
 * @param external packages that the server imports from `node_modules`
 */
export async function openServerHouse<Options extends object>(
  source: URL,
  name: string,
  external: readonly string[],
): Promise<ServerHouse<Options>> {
  const outfile = `${BUNDLE}${name}-${process.pid}.mjs`
  await mkdir(BUNDLE, { recursive: true })
  await build({
    entryPoints: [fileURLToPath(source)],
    ...{
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node22',
      logLevel: 'error',
    },
    conditions: ['@quillgate/source'],
    // CommonJS packages need `require`.
    banner: {
      js: "import { createRequire as from } from 'node:module'\nconst require = from(import.meta.url)",
    },
    minify: true,
    external: [...external],
  })
  let spare = spawnServer(outfile)
  const begin = (options: Options): ChildProcess => {
    const child = spare
    spare = spawnServer(outfile)
    child.send(options)
    return child
  }
  return {
    async start(options) {
      const child = begin(options)
      const [answer] = (await Promise.race([once(child, 'message'), deathOf(child)])) as [
        Record<string, unknown>,
      ]
      if (answer['port'] === undefined)
        throw new Error(`The server did not start: ${String(answer['error'])}`)
      return { origin: `http://127.0.0.1:${String(answer['port'])}`, kill: () => kill(child) }
    },
    async killAtStart(options, milliseconds) {
      const child = begin(options)
      await sleep(milliseconds)
      await kill(child)
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
