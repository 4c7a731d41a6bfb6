// As bundlers write them: `from"./a.js"` and `import"./a.js"`. An `import("./a.js")` loads later.
const staticImport = /\b(?:from|import)\s*"\.\/([^"]+)"/g

/**
 * Returns a bundled script and everything that browsers load with it before it runs.
 *
 * @param name - of the script
 * @param files - sources by name
 * @throws Error if one of them is missing
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
