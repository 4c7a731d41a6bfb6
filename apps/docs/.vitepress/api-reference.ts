import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'rolldown/parseAst'

const root = fileURLToPath(new URL('../../../packages', import.meta.url))

/** Entry points for Quillgate's own packages. */
const INTERNAL =
  /^@quillgate\/(?:markdown\/grammar|markdown-editor-element\/contract|server\/(?:cli|core|database|http|jobs|testing\/suites))$/

/** The source file of each specifier of Quillgate's packages. */
const files = new Map<string, string>()

/** The exports of each parsed module, by its file. */
const modules = new Map<string, ReadonlyMap<string, Export>>()

/** Returns the exported names of all packages as Markdown, from the sources. */
export function apiReference(): string {
  modules.clear() // The development server calls this function again after a change.
  const packages = readdirSync(root).map((folder) => {
    const { name, description, exports } = JSON.parse(
      readFileSync(join(root, folder, 'package.json'), 'utf8'),
    )
    for (const [subpath, target] of Object.entries<Record<string, string>>(exports)) {
      const source = target['@quillgate/source']
      if (source !== undefined) files.set(join(name, subpath), join(root, folder, source))
    }
    return { name, description }
  })
  return packages
    .flatMap(({ name, description }) => [
      `## ${name}`,
      `${description.replaceAll('<', '&lt;')}.`,
      ...writeEntryPoints(name),
    ])
    .join('\n\n')
}

function writeEntryPoints(name: string): string[] {
  const own = [...files].filter(([one]) => one === name || one.startsWith(`${name}/`))
  const byFile = Map.groupBy(own, ([, file]) => file)
  return [...byFile].flatMap(([file, entries]) => {
    const specifiers = entries.map(([specifier]) => specifier)
    const parts: string[] = []
    if (!specifiers.includes(name))
      parts.push(`### ${specifiers.map((one) => `\`${one.slice(name.length)}\``).join(', ')}`)
    if (specifiers.some((one) => INTERNAL.test(one)))
      parts.push(
        "This entry point exists for Quillgate's own packages. Applications rarely need it.",
      )
    const symbols = [...readModule(file).keys()].map((symbol) => readExport(file, symbol))
    for (const [title, isType] of [
      ['Value', false],
      ['Type', true],
    ] as const) {
      const rows = symbols.filter((one) => one.isType === isType).map(({ row }) => row)
      const head = [`| ${title} | Description |`, '|---|---|']
      if (rows.length > 0) parts.push([...head, ...rows].join('\n'))
    }
    return parts
  })
}

interface Export {
  readonly isType: boolean
  readonly comment: string
  /** For a re-export, the original module and the name in that module. */
  readonly from: readonly [file: string, name: string] | null
}

// Comments for the linter may follow a doc comment.
const DOC_COMMENT = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(?:\/\/.*\s*)*$/

function readModule(file: string): ReadonlyMap<string, Export> {
  const known = modules.get(file)
  if (known) return known
  const text = readFileSync(file, 'utf8')
  const found = new Map<string, Export>()
  for (const statement of parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }).body) {
    if (statement.type !== 'ExportNamedDeclaration') continue
    const { declaration, source, specifiers } = statement
    const [, comment = ''] = DOC_COMMENT.exec(text.slice(0, statement.start)) ?? []
    const isType = /^TS(Interface|TypeAlias)/.test(declaration?.type ?? '')
    const declared =
      declaration?.type === 'VariableDeclaration' ? declaration.declarations : [declaration]
    // Overloads share the comment of the first overload.
    for (const one of declared)
      if (one?.id?.type === 'Identifier' && !found.has(one.id.name))
        found.set(one.id.name, { isType, comment, from: null })
    const target = source && (files.get(source.value) ?? join(dirname(file), source.value))
    for (const { local, exported, exportKind } of specifiers) {
      if (local.type === 'Literal' || exported.type === 'Literal') continue
      found.set(exported.name, {
        isType: [statement.exportKind, exportKind].includes('type'),
        comment,
        from: target === null ? null : [target, local.name],
      })
    }
  }
  modules.set(file, found)
  return found
}

/** Follows re-exports to the declaration of a name, and writes its row of the table. */
function readExport(file: string, name: string, shown = name): { isType: boolean; row: string } {
  const { isType = false, comment = '', from = null } = readModule(file).get(name) ?? {}
  if (from) {
    const { row, ...origin } = readExport(...from, shown)
    return { row, isType: isType || origin.isType }
  }
  const sentence = firstSentence(comment)
  if (sentence === '') throw new Error(`${file}: ${name} has no doc comment`)
  return { isType, row: `| \`${shown}\` | ${sentence.replaceAll('|', '\\|')} |` }
}

/** Returns the first sentence of a doc comment in Markdown. Ignores periods in inline code. */
function firstSentence(comment: string): string {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\* ?/, '').trim())
  const [paragraph = ''] = lines
    .join('\n')
    .trim()
    .split(/\n\n|\n@/)
  const text = paragraph.replaceAll('\n', ' ').replace(/\{@link ([^}]*)\}/g, '`$1`')
  return /^(?:`[^`]*`|[^`])*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text
}
