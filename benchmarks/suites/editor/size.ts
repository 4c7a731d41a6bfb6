import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Goal, Part } from '../../lib/report.ts'
import { loadedFirst } from '../../lib/static-imports.ts'
import { buildPage, peers } from './build-pages.ts'
import { buildClient } from './site.ts'

const mostScript = 13_500
const mostStyle = 3_500
const mostWorker = 65_000

// The parts (scripts that the editor loads later) of an idle page. The size in a row includes the
// first script, and the parts of this row and of the rows above.
const idle = [
  ['an untouched editor', 'writing'],
  ['with drafts', 'drafts'],
] as const
const react = ['react', 'react-dom', 'react-dom/client', 'react/jsx-runtime']

/** Measures the size of the files that a page loads for this editor and for other editors. */
export const size: Part = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quillgate-size-'))
  try {
    const ours = join(folder, 'ours')
    buildClient(ours)
    const files = readFiles(ours)
    const first = sizeOf(files, loadedFirst('markdown-editor.js', files))
    const worker = sizeOf(files, loadedFirst('preview.worker.js', files))
    const style = sizeOf(files, ['markdown-editor.css'])
    return {
      title: 'Size of the files that a page loads for the editor',
      notes: [
        'Each file is compressed with gzip -9. First are a script with its static imports, and the style sheet. The other editors are',
        'bundled with the same bundler and settings, and include a few lines that start them. No editor highlights code. The rows',
        '"when idle" include all scripts that a page loads before the user touches the editor.',
      ],
      goals: [
        toGoal('JavaScript that the page loads first', first, mostScript),
        toGoal('CSS that the page loads first', style, mostStyle),
        toGoal('The Worker, on the first preview', worker, mostWorker),
      ],
      details: {
        columns: ['files', 'JS first', 'CSS first', 'JS in total'],
        rows: [
          ['ours', bytes(first), bytes(style), bytes(sizeOf(files, scriptsOf(files)))],
          ...(await peerRows(folder)),
          ...idleRows(files),
          ...partRows(files),
        ],
      },
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function peerRows(folder: string): Promise<string[][]> {
  const rows: string[][] = []
  const bundled = [
    ...Object.keys(peers).map((name) => [name] as const),
    ['md-editor-rt', react] as const,
  ]
  for (const [name, external] of bundled) {
    const dir = join(folder, `${name}${external === undefined ? '' : '-without-react'}`)
    await buildPage(name, dir, external)
    const files = readFiles(dir)
    rows.push([
      `${peers[name]?.name}${external === undefined ? '' : ' without React'}`,
      bytes(sizeOf(files, loadedFirst('page.js', files))),
      files.has('page.css') ? bytes(sizeOf(files, ['page.css'])) : '',
      bytes(sizeOf(files, scriptsOf(files))),
    ])
  }
  return rows
}

function idleRows(files: ReadonlyMap<string, string>): string[][] {
  const fetched = new Set(loadedFirst('markdown-editor.js', files))
  return idle.map(([what, part]) => {
    for (const name of loadedFirst(partName(part, files), files)) fetched.add(name)
    return [
      `ours, when idle: ${what} (${fetched.size} files)`,
      bytes(sizeOf(files, [...fetched])),
      '',
      '',
    ]
  })
}

/** The file name of a part contains a hash. */
function partName(part: string, files: ReadonlyMap<string, string>): string {
  const found = [...files.keys()].find(
    (name) => name.startsWith(`${part}-`) && extname(name) === '.js',
  )
  if (found === undefined) throw new Error(`The build contains no part ${part}.`)
  return found
}

function partRows(files: ReadonlyMap<string, string>): string[][] {
  const shown = new Set(loadedFirst('markdown-editor.js', files))
  return [...files.keys()]
    .filter((name) => !shown.has(name) && extname(name) === '.js')
    .map((name) => ({ name, size: sizeOf(files, [name]) }))
    .toSorted((a, b) => b.size - a.size)
    .map(({ name, size }) => [`ours, when used: ${name}`, '', '', bytes(size)])
}

function readFiles(folder: string): Map<string, string> {
  const names = readdirSync(folder).filter((name) => /\.(?:js|css)$/.test(name))
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

function scriptsOf(files: ReadonlyMap<string, string>): string[] {
  return [...files.keys()].filter((name) => extname(name) === '.js')
}

function sizeOf(files: ReadonlyMap<string, string>, names: readonly string[]): number {
  return names.reduce((sum, name) => sum + gzipSync(files.get(name) ?? '', { level: 9 }).length, 0)
}

function toGoal(what: string, measured: number, most: number): Goal {
  return { what, goal: `≤ ${bytes(most)}`, measured: bytes(measured), passed: measured <= most }
}

function bytes(count: number): string {
  return `${count.toLocaleString('en')} B`
}
