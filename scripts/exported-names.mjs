import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

export const isTesting = (path) => path.includes('/src/testing/')

/** Each entry has the form `package: symbol`. */
export function exportedNames() {
  const names = { values: new Set(), types: new Set() }
  for (const name of readdirSync(join(root, 'packages'))) {
    const manifest = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))
    for (const entry of Object.values(manifest.exports ?? {})) {
      const path = entry?.['@quillgate/source']
      const file = path && join(root, 'packages', name, path)
      if (!file || !existsSync(file) || isTesting(relative(root, file))) continue
      namesOf(readFileSync(file, 'utf8'), (kind, symbol) => names[kind].add(`${name}: ${symbol}`))
    }
  }
  return names
}

function namesOf(text, add) {
  for (const [, type, list] of text.matchAll(/^export\s+(type\s+)?\{([^}]*)\}/gm)) {
    for (const part of list.split(',').map((one) => one.trim())) {
      const symbol = part.replace(/^type\s+/, '').replace(/^.* as /, '')
      if (symbol) add(type || part.startsWith('type ') ? 'types' : 'values', symbol)
    }
  }
  for (const [, kind, symbol] of text.matchAll(
    /^export (?:declare |abstract |async )*(function\*?|class|const|interface|type) (\w+)/gm,
  ))
    add(/interface|type/.test(kind) ? 'types' : 'values', symbol)
}
