// Compares the imports of every package with the plan below. A package imports only the packages
// that the plan lists. Inside a package, each room imports only rooms to its left in the plan. A
// room is a folder with its files, or one file directly in `src`. Each room must be in the plan,
// and each room of the plan must have a file.
//
// Prints four numbers for each package:
// - rooms: the number of rooms
// - floors: the length of the longest chain of imports between rooms
// - upward arrows: imports of a room to the right
// - circles: groups of rooms that import each other
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

// `imports` lists the packages of this repository that a package may import. `rooms` lists its
// rooms from left to right. A room with a slash in its name is a subfolder that is separate from
// its parent. The folder `testing` may import all rooms, so it is not in the plan.
const plan = {
  server: {
    imports: [],
    rooms:
      'core, database, http, http/rate-limit, http/network, http/csrf, http/multipart, http/index, jobs, cli, options, components, quillgate, index, adapters',
  },
  markdown: {
    imports: [],
    rooms:
      'grammar, document, highlighting, policy, embeds, verification, syntax, media-urls, writing, engine, renderer, browser, node, index',
  },
  storage: {
    imports: ['server'],
    rooms: 'storage, storage-errors, storage-key, key-locks, to-stream, local, s3, flydrive, index',
  },
  'markdown-editor': {
    imports: ['server', 'markdown', 'storage', 'markdown-editor-element'],
    rooms:
      'types, settings, errors, media/ledger, media/upload, media, media/sweep, options, widget, markdown-editor, admin, http, orm, cli, templates, create, index',
  },
  'markdown-editor-element': {
    imports: ['markdown'],
    rooms:
      'commands, contract, dom, i18n | editor | surface, toolbar, uploads, drafts | dialogs, paste, preview | element | react',
  },
  'trusted-devices': {
    imports: ['server', 'trusted-devices-client'],
    rooms:
      'errors, uuid, settings, instance-names, network, privacy, tokens, devices/tables, devices, signals, outbox, http/sessions, http, options, trusted-devices, session-methods, compose, create, cli, index',
  },
  'login-alerts': {
    imports: ['server', 'trusted-devices'],
    rooms: 'alert, link, alert-store, mail, options, mails, pages, create, index',
  },
  'trusted-devices-client': { imports: [], rooms: 'list, token-client, client' },
}

// Each of these folders may import only the listed folders of its package.
const closed = [{ package: 'trusted-devices-client', from: 'client', only: ['list'] }]

const problems = []

const filesOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))

const importsOf = (source) =>
  [
    ...source.matchAll(
      /^\s*(?:import|export)\s(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm,
    ),
  ].map((match) => match[1] ?? match[2])

/**
 * Returns the room of a file: the planned room with the longest name that contains the file. If no
 * planned room contains the file, returns its top-level folder, or its name if it is in no folder.
 */
function roomOf(src, file, rooms) {
  const path = relative(src, file)
    .replace(/\.tsx?$/, '')
    .split(sep)
    .join('/')
  const planned = rooms
    .filter((room) => path === room || path.startsWith(`${room}/`))
    .sort((a, b) => b.length - a.length)
  return planned[0] ?? path.split('/')[0]
}

/** Returns the groups of rooms that import each other (Tarjan's strongly connected components). */
function circlesOf(edges) {
  const index = new Map()
  const low = new Map()
  const stack = []
  const circles = []
  const visit = (room) => {
    index.set(room, index.size)
    low.set(room, index.get(room))
    stack.push(room)
    for (const next of edges.get(room) ?? []) {
      if (!index.has(next)) visit(next)
      if (stack.includes(next)) low.set(room, Math.min(low.get(room), low.get(next)))
    }
    if (low.get(room) !== index.get(room)) return
    const circle = stack.splice(stack.indexOf(room))
    if (circle.length > 1) circles.push(circle)
  }
  for (const room of edges.keys()) if (!index.has(room)) visit(room)
  return circles
}

function floorsOf(edges) {
  const heights = new Map()
  const height = (room) => {
    if (heights.has(room)) return heights.get(room)
    heights.set(room, 1)
    const below = [...(edges.get(room) ?? [])].map(height)
    heights.set(room, 1 + Math.max(0, ...below))
    return heights.get(room)
  }
  return Math.max(1, ...[...edges.keys()].map(height))
}

/** Checks the imports of a file. Returns the imported rooms of its own package. */
function targetsOf(name, src, file, rooms) {
  const source = readFileSync(file, 'utf8')
  const shown = relative(root, file)
  if (/^await\s/m.test(source)) problems.push(`${shown}: top-level await`)
  const targets = []
  for (const specifier of importsOf(source)) {
    imports++
    const ours = /^@quillgate\/([^/]+)/.exec(specifier)?.[1]
    if (ours && !plan[name].imports.includes(ours))
      problems.push(`${shown}: @quillgate/${name} must not import @quillgate/${ours}`)
    if (specifier.startsWith('.'))
      targets.push(roomOf(src, resolve(dirname(file), specifier), rooms))
  }
  return targets
}

function checkPackage(name) {
  const order = plan[name].rooms.split(/[,|]/).map((room) => room.trim())
  const rankOf = (room) => (room === 'testing' ? order.length : order.indexOf(room))
  const src = join(root, 'packages', name, 'src')
  const edges = new Map()
  const upward = new Set()
  for (const file of filesOf(src)) {
    const room = roomOf(src, file, order)
    const targets = targetsOf(name, src, file, order)
    if (room === 'testing') continue
    if (!edges.has(room)) edges.set(room, new Set())
    if (!order.includes(room))
      problems.push(
        `${relative(root, file)}: the plan of scripts/check-imports.mjs has no room ${room}`,
      )
    for (const target of targets) {
      if (target === room) continue
      edges.get(room).add(target)
      if (rankOf(target) > rankOf(room)) upward.add(`${room} → ${target}`)
      const rule = closed.find((rule) => rule.package === name && rule.from === room)
      if (rule && !rule.only.includes(target))
        problems.push(`${relative(root, file)}: ${room}/ must not import ${target}/`)
    }
  }
  for (const room of order)
    if (!edges.has(room)) problems.push(`packages/${name}: no file is in the planned room ${room}`)
  for (const arrow of upward) problems.push(`packages/${name}: upward arrow ${arrow}`)
  const circles = circlesOf(edges)
  for (const circle of circles) problems.push(`packages/${name}: circle of ${circle.join(', ')}`)
  console.log(
    `${name}: ${edges.size} rooms, ${floorsOf(edges)} floors, ${upward.size} upward arrows, ${circles.length} circles`,
  )
}

let imports = 0
for (const name of Object.keys(plan)) checkPackage(name)
for (const name of readdirSync(join(root, 'packages')))
  if (!plan[name])
    problems.push(`packages/${name}: missing in the plan of scripts/check-imports.mjs`)

if (imports < 100) problems.push(`only ${imports} imports seen: the check itself is broken`)
for (const problem of problems) console.error(problem)
console.log(
  problems.length === 0 ? `imports: ${imports} checked` : `imports: ${problems.length} problems`,
)
process.exitCode = problems.length === 0 ? 0 : 1
