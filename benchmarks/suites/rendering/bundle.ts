import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Part } from '../../lib/report.ts'
import { loadedFirst } from '../../lib/static-imports.ts'

const build = fileURLToPath(
  new URL('../../../packages/markdown-editor-element/scripts/build-client.mjs', import.meta.url),
)
const entry = 'preview.worker.js'
const most = 65_000

/** Measures the size of the files that a browser loads before it shows a preview. */
export const bundle: Part = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quillgate-bundle-'))
  try {
    execFileSync(process.execPath, [build, join(folder, 'client')])
    const files = new Map(
      readdirSync(join(folder, 'client'))
        .filter((name) => name.endsWith('.js'))
        .map((name) => [name, readFileSync(join(folder, 'client', name), 'utf8')]),
    )
    const first = loadedFirst(entry, files)
    const size = first.reduce((sum, name) => sum + gzipped(files.get(name)), 0)
    const names = [...files.keys()].toSorted(
      (a, b) => Number(first.includes(b)) - Number(first.includes(a)),
    )
    return {
      title: 'Size of the files that the browser loads',
      notes: [
        `Each file is compressed with gzip -9. ${entry} and its static imports load first. Languages load on demand.`,
      ],
      goals: [
        {
          what: 'The renderer in the browser with the parser, without languages',
          goal: `≤ ${most / 1000} kB gzipped`,
          measured: `${(size / 1000).toFixed(1)} kB`,
          passed: size <= most,
        },
      ],
      details: {
        columns: ['file', 'kB gzipped', 'loaded by the Worker'],
        rows: names.map((name) => [
          name,
          (gzipped(files.get(name)) / 1000).toFixed(1),
          first.includes(name) ? 'first' : '',
        ]),
      },
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function gzipped(source = ''): number {
  return gzipSync(source, { level: 9 }).length
}
