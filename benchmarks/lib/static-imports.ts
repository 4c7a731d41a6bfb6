// Matches static imports in bundled code: `from"./a.js"` and `import"./a.js"`. Ignores
// `import("./a.js")`, which loads a file later.
const staticImport = /\b(?:from|import)\s*"\.\/([^"]+)"/g

/**
 * Returns the names of a bundled script and of all scripts that it imports statically.
 *
 * @param name - the name of the script
 * @param files - the sources by name
 * @throws Error if a script is missing
 */
export function loadedFirst(name: string, files: ReadonlyMap<string, string>): string[] {
  const found = new Set<string>([name])
  for (const file of found) {
    const source = files.get(file)
    if (source === undefined) throw new Error(`The build has no file ${file}.`)
    for (const [, imported = ''] of source.matchAll(staticImport)) found.add(imported)
  }
  return [...found]
}
