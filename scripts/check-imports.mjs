// Holds the imports of every package against the plan of the house: dependencies point one way, folders form no circle,
// and no module evaluates anything at top level that must be awaited.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

// What each package may import of ours.
const packages = {
  server: [],
  'markdown-editor': ['server'],
  'trusted-devices': ['server'],
}

// Folders of a package that must not be imported from the named folder ('*': everything but the exceptions).
const forbidden = [
  { package: 'markdown-editor', from: 'client', only: ['client', 'contract', 'rendering', 'text'] },
  { package: 'markdown-editor', from: 'react', only: ['react', 'client', 'contract', 'rendering'] },
  { package: 'markdown-editor', from: 'contract', only: ['contract'] },
  { package: 'markdown-editor', from: 'text', only: ['text', 'contract'] },
  { package: 'markdown-editor', from: 'rendering', only: ['rendering', 'contract', 'text'] },
  { package: 'markdown-editor', from: 'storage', only: ['storage'] },
  { package: 'trusted-devices', from: 'client', only: ['client', 'list'] },
  { package: 'trusted-devices', from: 'list', only: ['list'] },
  { package: 'trusted-devices', from: 'signals', only: ['signals', 'devices', 'within'] },
]

const files = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))

const problems = []

const importsOf = (source) =>
  [
    ...source.matchAll(
      /^\s*(?:import|export)\s(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm,
    ),
  ].map((match) => match[1] ?? match[2])

/** The folder a file belongs to: its first folder below src, or its own name when it lies in src itself. */
const roomOf = (src, file) => {
  const [first, ...rest] = relative(src, file).split(sep)
  return rest.length > 0 ? first : first.replace(/\.tsx?$/, '')
}

function circle(edges) {
  const state = new Map()
  const path = []
  const visit = (node) => {
    if (state.get(node) === 'done') return null
    if (state.get(node) === 'open') return [...path.slice(path.indexOf(node)), node]
    state.set(node, 'open')
    path.push(node)
    for (const next of edges.get(node) ?? []) {
      const found = visit(next)
      if (found) return found
    }
    path.pop()
    state.set(node, 'done')
    return null
  }
  for (const node of edges.keys()) {
    const found = visit(node)
    if (found) return found
  }
  return null
}

let count = 0
for (const [name, allowed] of Object.entries(packages)) {
  const src = join(root, 'packages', name, 'src')
  const edges = new Map()
  for (const file of files(src)) {
    const source = readFileSync(file, 'utf8')
    const room = roomOf(src, file)
    const shown = relative(root, file)
    if (/^await\s/m.test(source)) problems.push(`${shown}: top-level await`)
    for (const specifier of importsOf(source)) {
      count++
      const ours = /^@quillgate\/([^/]+)/.exec(specifier)?.[1]
      if (ours && !allowed.includes(ours))
        problems.push(`${shown}: @quillgate/${name} must not import @quillgate/${ours}`)
      if (!specifier.startsWith('.')) continue
      const target = roomOf(src, resolve(dirname(file), specifier))
      if (target === room) continue
      if (!edges.has(room)) edges.set(room, new Set())
      edges.get(room).add(target)
      for (const rule of forbidden) {
        if (rule.package === name && rule.from === room && !rule.only.includes(target)) {
          problems.push(`${shown}: ${rule.from}/ must not import ${target}/`)
        }
      }
    }
  }
  const found = circle(edges)
  if (found) problems.push(`packages/${name}: folders in a circle: ${found.join(' → ')}`)
}

// The rooms of the element: what lies in the folder itself puts them together.
const element = join(root, 'packages/markdown-editor/src/client')
const rooms = new Map()
for (const file of files(element)) {
  const room = dirname(relative(element, file)).split(sep)[0]
  if (room === '.') continue
  for (const specifier of importsOf(readFileSync(file, 'utf8'))) {
    const target = relative(element, resolve(dirname(file), specifier))
    if (!specifier.startsWith('.') || target.startsWith('..')) continue
    const other = dirname(target).split(sep)[0]
    if (other !== '.' && other !== room) rooms.set(room, (rooms.get(room) ?? new Set()).add(other))
  }
}
const circleOfRooms = circle(rooms)
if (circleOfRooms)
  problems.push(`packages/markdown-editor/src/client: ${circleOfRooms.join(' → ')}`)

if (count < 100) problems.push(`only ${count} imports seen: the check itself is broken`)
for (const problem of problems) console.error(problem)
console.log(
  problems.length === 0
    ? `imports: ${count} checked, no circles`
    : `imports: ${problems.length} problems`,
)
process.exitCode = problems.length === 0 ? 0 : 1
