import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The response to a test file that requests a client. */
export type ClientAnswer = { readonly folder: string } | { readonly error: string }

/** The clients that a test run has built from the sources. */
export interface ClientBuilds {
  /** Returns the client of a package. The first call for this package builds the client. */
  find(name: string): Promise<ClientAnswer>
  /** Forgets all builds, so that the next request for a client builds it again. */
  forget(): void
  remove(): Promise<void>
}

/** Builds each client once, in one temporary folder. */
export function clientBuilds(): ClientBuilds {
  const packages = join(import.meta.dirname, '..', '..', 'packages')
  const builds = new Map<string, Promise<ClientAnswer>>()
  let parent: Promise<string> | undefined
  let count = 0

  async function build(name: string): Promise<ClientAnswer> {
    parent ??= mkdtemp(join(tmpdir(), 'quillgate-clients-'))
    const folder = join(await parent, `${name}-${++count}`)
    const script = join(packages, name, 'scripts', 'build-client.mjs')
    return promisify(execFile)(process.execPath, [script, folder]).then(
      () => ({ folder }),
      (error: unknown) => ({ error: String(error) }),
    )
  }

  return {
    find(name) {
      const built = builds.get(name) ?? build(name)
      builds.set(name, built)
      return built
    },
    forget: () => builds.clear(),
    async remove() {
      await Promise.all(builds.values())
      if (parent !== undefined) await rm(await parent, { recursive: true, force: true })
    },
  }
}
