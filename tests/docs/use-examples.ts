import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, vi } from 'vitest'

/** Runs each test of a file in a new folder, because the examples write to `./data`. */
export function useExamples() {
  const cwd = process.cwd()
  let folder: string
  let server: Server | undefined
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quillgate-examples-'))
    process.chdir(folder)
  })
  afterEach(() => {
    server?.close()
    process.chdir(cwd)
    rmSync(folder, { recursive: true, force: true })
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  /** Returns the origin of the server, which is closed after the test. */
  async function listenTo(opened: Server): Promise<string> {
    server = opened
    if (!opened.listening)
      await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve))
    return `http://localhost:${(opened.address() as AddressInfo).port}`
  }
  return {
    folder: () => folder,
    listenTo,
    listen: (app: RequestListener) => listenTo(createServer(app)),
  }
}
