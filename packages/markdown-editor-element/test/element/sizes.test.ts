import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
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
    ['markdown-editor.js', 13_500],
    ['markdown-editor.css', 3_000],
    ['preview.css', 2_800],
    ['dialogs.css', 1_800],
    ['preview.worker.js', 65_500],
    ['load-highlighter.js', 2_500],
  ])('is smaller than its limit: %s', (name, most) => {
    expect(gzipped(name)).toBeLessThan(most)
  })

  // Scripts that are loaded on demand. The limits are slightly above the current sizes, so that the
  // test fails when a script grows.
  it.each([
    ['writing', 6_700],
    ['links', 5_200],
    ['prepare-fields', 8_000],
    ['drafts', 4_400],
    ['en-lazy', 2_600],
    ['paste', 21_500],
    ['dialogs', 10_900],
    ['completion', 3_000],
    ['preview-pane', 5_000],
    ['codemirror-surface', 90_000],
  ])('keeps its scripts small: %s', (part, most) => {
    const names = readdirSync(folder).filter((name) => /^(.+)-\w{8}\.js$/.exec(name)?.[1] === part)
    expect(names).toHaveLength(1)
    expect(gzipped(names[0] ?? '')).toBeLessThan(most)
  })

  function gzipped(name: string): number {
    return gzipSync(readFileSync(join(folder, name)), { level: 9 }).length
  }
})
