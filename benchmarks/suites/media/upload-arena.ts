import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Isolate } from '../../lib/isolate.ts'
import { bare } from './upload-servers.ts'

type ServerModule = typeof import('./upload-server.isolate.ts')
type ClientModule = typeof import('./upload-client.isolate.ts')

/**
 * The prefix of the folder for the files. The folder is in the repository, because the temporary
 * folder of a system may be in memory.
 */
const SCRATCH = fileURLToPath(new URL('../../.scratch-', import.meta.url))

export interface Load {
  /** The size of each file in bytes. */
  readonly size: number
  readonly count: number
  readonly concurrency: number
}

export interface Sample {
  /** The time from the first sent byte to the last response. */
  readonly ms: number
  /** The CPU time of the server's process in ms. */
  readonly cpu: number
}

/** The resident memory of a server, in bytes. */
export interface Memory {
  /** The memory before the load. */
  readonly idle: number
  /** The maximum during the load. */
  readonly most: number
}

interface Contender {
  readonly name: string
  readonly directory: string
  readonly server: Isolate<ServerModule>
  readonly port: number
}

/**
 * Several servers and one client that sends to them. Each server has its own process. All servers
 * use the same disk.
 */
export class Arena {
  readonly #directory: string
  readonly #client = new Isolate<ClientModule>(
    new URL('./upload-client.isolate.ts', import.meta.url),
  )
  readonly #contenders: Contender[] = []

  private constructor(directory: string) {
    this.#directory = directory
  }

  /**
   * Starts the servers with these names and calls `run`. Then ends the servers and removes their
   * files.
   */
  static async with<Result>(
    names: readonly string[],
    run: (arena: Arena) => Promise<Result>,
  ): Promise<Result> {
    const arena = new Arena(await mkdtemp(SCRATCH))
    try {
      for (const name of names) await arena.#start(name)
      return await run(arena)
    } finally {
      await arena.#close()
    }
  }

  /**
   * Measures the servers in turns (A B C, B C A, …). Samples with the same index were measured one
   * after the other.
   */
  async compare(load: Load, rounds: number): Promise<ReadonlyMap<string, readonly Sample[]>> {
    const samples = new Map<string, Sample[]>()
    for (const { name } of this.#contenders) {
      samples.set(name, [])
      await this.sample(name, load) // Warms up, so that the code is compiled.
    }
    for (let round = 0; round < rounds; round++) {
      const first = round % this.#contenders.length
      for (const { name } of [
        ...this.#contenders.slice(first),
        ...this.#contenders.slice(0, first),
      ]) {
        samples.get(name)?.push(await this.sample(name, load))
      }
    }
    return samples
  }

  /** Sends a load to one server, and removes the stored files. */
  async sample(name: string, load: Load): Promise<Sample> {
    const { server, port, directory } = this.#contender(name)
    const before = await server.call('cpuSoFar')
    const ms = await this.#client.call('send', { ...load, port, isForm: name !== bare })
    const cpu = (await server.call('cpuSoFar')) - before
    await removeFiles(directory)
    return { ms, cpu }
  }

  async memory(name: string, load: Load): Promise<Memory> {
    const { server } = this.#contender(name)
    const idle = await server.call('watchMemory')
    await this.sample(name, load)
    return { idle, most: await server.call('mostMemory') }
  }

  #contender(name: string): Contender {
    const contender = this.#contenders.find((one) => one.name === name)
    if (!contender) throw new RangeError(`"${name}" was not started.`)
    return contender
  }

  async #start(name: string): Promise<void> {
    const directory = join(this.#directory, String(this.#contenders.length))
    const server = new Isolate<ServerModule>(new URL('./upload-server.isolate.ts', import.meta.url))
    try {
      this.#contenders.push({
        name,
        directory,
        server,
        port: await server.call('start', name, directory),
      })
    } catch (error) {
      server.stop()
      throw error
    }
  }

  async #close(): Promise<void> {
    for (const { server } of this.#contenders) server.stop()
    this.#client.stop()
    await rm(this.#directory, { recursive: true, force: true })
  }
}

/**
 * Removes the uploads to limit the disk space. Keeps the database and the marker of the storage.
 */
async function removeFiles(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const isKept = entry.name.includes('.sqlite') || entry.name.startsWith('quillgate-')
    if (entry.isFile() && !isKept) await rm(join(entry.parentPath, entry.name))
  }
}
