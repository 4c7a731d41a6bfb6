import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const BUILD = fileURLToPath(new URL('../../scripts/build-client.mjs', import.meta.url))

describe('the bundled client', () => {
  let folder: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quillgate-sizes-'))
    await promisify(execFile)(process.execPath, [BUILD, folder])
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each([
    ['markdown-editor.js', 14_000],
    ['markdown-editor.css', 4_000],
    ['preview.worker.js', 65_000],
    ['load-highlighter.js', 2_500],
  ])('is small: %s', (name, most) => {
    expect(gzipSync(readFileSync(join(folder, name)), { level: 9 }).length).toBeLessThan(most)
  })
})
