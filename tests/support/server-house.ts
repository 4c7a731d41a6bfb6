import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Starts servers to kill. The next one loads its code while the last one is still running. */
export interface ServerHouse<Options> {
  /** Sends the options to a server, and waits for its port. */
  start(options: Options): Promise<RunningServer>
  /** Starts one and kills it after the given milliseconds, ready or not. */
  killAtStart(options: Options, milliseconds: number): Promise<void>
  close(): Promise<void>
}

/** A server to be killed. */
export interface RunningServer {
  readonly origin: string
  /** Sends SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void>
}

/** Below `node_modules`, so that drivers are found. */
const BUNDLE = fileURLToPath(new URL('../../node_modules/.cache/quillgate-kill/', import.meta.url))

/**
 * Bundles a server into one file, because it is started a thousand times.
 *
 * @param source its module: it gets its options as a message, and answers with `{ port }` or `{
 * error }`
 * @param external packages that it imports from `node_modules`
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
    // For CommonJS packages.
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
