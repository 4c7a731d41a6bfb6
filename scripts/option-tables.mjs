// Writes the tables of settings and options into the guides: `node scripts/option-tables.mjs`.
// Reads the schemas in the code. With `--check`, only checks that the tables are up to date. With
// `--count`, prints the number of settings and options.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(fileURLToPath(import.meta.url), '..', '..')
const NETWORK = 'packages/server/src/http/network/network.ts'
const GATE = 'packages/server/src/options.ts'
const EDITOR = 'packages/markdown-editor/src'
const DEVICES = 'packages/trusted-devices/src'
const ALERTS = 'packages/login-alerts/src/options.ts'

/** Each entry names the guide with the table, and the files with the comments. */
const TABLES = [
  { guide: 'server', name: 'options', file: GATE, more: [NETWORK], schema: 'GATE_OPTIONS' },
  { guide: 'server', name: 'settings', file: NETWORK, schema: 'NETWORK_SETTINGS' },
  { guide: 'markdown-editor', name: 'settings', file: `${EDITOR}/settings.ts` },
  { guide: 'markdown-editor', name: 'options', file: `${EDITOR}/options.ts` },
  { guide: 'trusted-devices', name: 'settings', file: `${DEVICES}/settings.ts` },
  { guide: 'trusted-devices', name: 'options', file: `${DEVICES}/options.ts` },
  { guide: 'login-alerts', name: 'options', file: ALERTS, schema: 'OPTIONS' },
]

async function schemaOf({ file, schema = 'SETTINGS' }) {
  const module = await import(join(root, file))
  return module[schema] ?? module.optionsFor()
}

/** Returns a map from each field of a file to the comment above the field, as one line. */
function commentsOf(file) {
  const source = readFileSync(join(root, file), 'utf8')
  const fields = /^ {2}\/\*\*\n?((?:(?!\*\/)[\s\S])*)\*\/\n {2}(\w+):/gm
  return new Map(
    [...source.matchAll(fields)].map(([, comment, name]) => [
      name,
      comment
        .replaceAll(/^\s*\* ?/gm, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    ]),
  )
}

const UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
]

/** Returns a default. If `comment` mentions seconds or bytes, adds the value in a larger unit. */
function shownDefault({ initial, isRequired }, comment) {
  if (isRequired) return 'required'
  if (initial === undefined || typeof initial === 'function' || typeof initial === 'object') {
    if (initial === null) return '`null`'
    if (!Array.isArray(initial)) return ''
    return initial.length === 0 ? '`[]`' : `${initial.length} entries`
  }
  if (typeof initial !== 'number') return `\`${initial}\``
  const plain = initial.toLocaleString('en')
  if (/\bseconds\b/i.test(comment)) {
    const [size, unit] = UNITS.find(([length]) => initial >= length && initial % length === 0) ?? []
    return unit ? `${plain} (${initial / size} ${unit}${initial === size ? '' : 's'})` : plain
  }
  const MiB = initial / 2 ** 20
  return /\bbytes\b/i.test(comment) && Number.isInteger(MiB) ? `${plain} (${MiB} MiB)` : plain
}

async function tableOf(table) {
  const { name, file, more = [] } = table
  const schema = await schemaOf(table)
  const comments = new Map([...more, file].flatMap((each) => [...commentsOf(each)]))
  const rows = Object.entries(schema).map(([field, described]) => {
    const comment = comments.get(field)
    if (comment === undefined) throw new Error(`${file}: ${field} has no comment`)
    const meaning = comment.replaceAll('|', '\\|')
    return `| \`${field}\` | ${shownDefault(described, comment)} | ${meaning} |`
  })
  const head = name === 'settings' ? 'Setting' : 'Option'
  return [`| ${head} | Default | Meaning |`, '|---|---|---|', ...rows].join('\n')
}

async function count() {
  let sum = 0
  for (const table of TABLES) {
    // Several factories have the option `settings`. Counts it only once, for `createQuillgate`.
    const names = Object.keys(await schemaOf(table)).filter(
      (each) => each !== 'settings' || table.guide === 'server',
    )
    console.log(`${table.guide}: ${table.name}: ${names.length} (${names.join(', ')})`)
    sum += names.length
  }
  console.log(`settings and options: ${sum}`)
}

const isChecking = process.argv.includes('--check')
if (process.argv.includes('--count')) await count()
else {
  for (const table of TABLES) {
    const path = join(root, 'apps', 'docs', `${table.guide}.md`)
    const guide = readFileSync(path, 'utf8')
    const marker = new RegExp(`(<!-- ${table.name} -->\n)[\\s\\S]*?(<!-- /${table.name} -->)`)
    if (!marker.test(guide)) throw new Error(`${path} has no <!-- ${table.name} -->`)
    const text = await tableOf(table)
    const written = guide.replace(marker, (_all, before, after) => `${before}\n${text}\n\n${after}`)
    if (written === guide) continue
    if (!isChecking) writeFileSync(path, written)
    else {
      console.error(`apps/docs/${table.guide}.md: run node scripts/option-tables.mjs`)
      process.exitCode = 1
    }
  }
}
