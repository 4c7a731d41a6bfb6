import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A running demo with its own data folder. */
export interface RunningDemo {
  readonly url: string
  readonly dataDirectory: string
  /** Returns the keys of all stored files. A key is a path below the media folder. */
  storedFiles(): string[]
  stop(): Promise<void>
}

const root = join(import.meta.dirname, '..', '..')

/** Starts the demo like `npm start`, but on a free port. Adds the variables to its environment. */
export async function startDemo(variables: Record<string, string> = {}): Promise<RunningDemo> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'quillgate-demo-'))
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, ['apps/demo/src/main.ts'], {
    cwd: root,
    env: { PATH, NODE_COMPILE_CACHE, PORT: '0', QUILLGATE_DATA: dataDirectory, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const listen = (chunk: Buffer): void => {
      output += chunk.toString()
      const ready = /Quillgate demo ready at (http:\/\/\S+)/.exec(output)?.[1]
      if (ready) resolve(ready)
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.once('exit', (code) => reject(new Error(`The demo ended with ${code}:\n${output}`)))
  })
  return {
    url,
    dataDirectory,
    storedFiles: () => filesBelow(join(dataDirectory, 'media')),
    async stop() {
      child.kill('SIGTERM')
      const patience = setTimeout(() => child.kill('SIGKILL'), 5_000)
      await exited
      clearTimeout(patience)
      rmSync(dataDirectory, { recursive: true, force: true })
    },
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}
