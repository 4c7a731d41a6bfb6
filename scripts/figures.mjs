// Prints the size of the project. Each option also lists the items that one number counts:
// `node scripts/figures.mjs [--long] [--small] [--sql] [--exports]`.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'vitest/node'
import { exportedNames, isTesting } from './exported-names.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const packages = readdirSync(join(root, 'packages'))

/** Returns whether a file belongs to a package or folder that runs in the browser. */
const isBrowser = (path) =>
  /^packages\/(?:[^/]*-(?:element|client)\/|[^/]+\/src\/(?:client|react|list)\/)/.test(path)

const sources = packages
  .flatMap((name) =>
    readdirSync(join(root, 'packages', name, 'src'), { recursive: true, withFileTypes: true }),
  )
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name))
  .map((file) => {
    const text = readFileSync(file, 'utf8')
    return { file, path: relative(root, file), text, lines: text.split('\n').length - 1 }
  })

const sum = (files) => files.reduce((total, { lines }) => total + lines, 0)
const server = sources.filter(({ path }) => !isBrowser(path) && !isTesting(path))

function longFunctions({ path, text }) {
  const ast = parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' })
  const lineAt = (offset) => text.slice(0, offset).split('\n').length
  const found = []
  const visit = (node) => {
    if (!node || typeof node !== 'object') return
    if (Array.isArray(node)) return node.forEach(visit)
    if (/Function/.test(node.type ?? '') && node.body) {
      const first = lineAt(node.start)
      const lines = lineAt(node.end) - first + 1
      if (lines > 60) found.push(`${path}:${first} ${lines} lines`)
    }
    for (const value of Object.values(node)) visit(value)
  }
  visit(ast.body)
  return found
}

function smallFiles() {
  const importers = new Map()
  for (const { file, text } of sources) {
    for (const [, specifier] of text.matchAll(/\b(?:from|import)\s*\(?['"](\.[^'"]+)['"]/g)) {
      const target = resolve(dirname(file), specifier)
      importers.set(target, (importers.get(target) ?? new Set()).add(file))
    }
  }
  return sources
    .filter(({ file, lines }) => lines <= 25 && importers.get(file)?.size === 1)
    .map(({ path, lines }) => `${path} ${lines} lines`)
}

/**
 * Returns the positions of SQL statements in a file: tagged templates, and texts that begin with a
 * keyword such as SELECT.
 */
function rawSql({ path, text }) {
  return [
    ...text.matchAll(
      /(?:\bsql(?:<[^>]*>)?`|['"`])\s*(SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH)\s/g,
    ),
  ].map(({ index }) => `${path}:${text.slice(0, index).split('\n').length}`)
}

const names = exportedNames()
const lists = {
  long: sources.flatMap(longFunctions),
  small: smallFiles(),
  sql: server.flatMap(rawSql),
  exports: [...names.values, ...names.types],
}
for (const name of packages) {
  const files = sources.filter(({ path }) => path.startsWith(`packages/${name}/`))
  console.log(`${name}: ${sum(files)} lines, ${files.length} files`)
}
console.log(`server side: ${sum(server)} lines without browser code and src/testing`)
console.log(`exported: ${names.values.size} values, ${names.types.size} types`)
console.log(`functions over 60 lines: ${lists.long.length}`)
console.log(`files of at most 25 lines with one importer: ${lists.small.length}`)
console.log(`statements written as SQL: ${lists.sql.length}`)
for (const [name, list] of Object.entries(lists))
  if (process.argv.includes(`--${name}`)) console.log(`\n${name}:\n${list.join('\n')}`)
