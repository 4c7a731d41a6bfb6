import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'vite'

const packagesFolder = fileURLToPath(new URL('../../../packages', import.meta.url))

/** Entry points for Quillgate's own packages. */
const INTERNAL = new Set([
  '@quillgate/markdown/grammar',
  '@quillgate/markdown-editor-element/contract',
  '@quillgate/server/cli',
  '@quillgate/server/core',
  '@quillgate/server/database',
  '@quillgate/server/http',
  '@quillgate/server/jobs',
  '@quillgate/server/testing/suites',
])

/** One exported name of an entry point. */
interface Entry {
  readonly name: string
  readonly isType: boolean
  /** The first sentence of the doc comment, in Markdown. */
  readonly sentence: string
}

interface Package {
  readonly name: string
  readonly description: string
  /** The specifiers that import a source file, for each file. */
  readonly specifiers: ReadonlyMap<string, readonly string[]>
}

/** Returns the exported names of all packages as Markdown, from the sources. */
export function apiReference(): string {
  const packages = readdirSync(packagesFolder).map(readPackage)
  const files = new Map(
    packages.flatMap(({ specifiers }) =>
      [...specifiers].flatMap(([file, names]) => names.map((name) => [name, file] as const)),
    ),
  )
  return packages.flatMap((one) => writePackage(one, files)).join('\n\n')
}

function readPackage(folder: string): Package {
  const { name, description, exports } = JSON.parse(
    readFileSync(join(packagesFolder, folder, 'package.json'), 'utf8'),
  )
  const specifiers = new Map<string, string[]>()
  for (const [subpath, target] of Object.entries<Record<string, string>>(exports)) {
    const source = target['@quillgate/source']
    if (source === undefined) continue
    const file = join(packagesFolder, folder, source)
    specifiers.set(file, [...(specifiers.get(file) ?? []), join(name, subpath)])
  }
  return { name, description, specifiers }
}

function writePackage({ name, description, specifiers }: Package, files: Files): string[] {
  const parts = [`## ${name}`, `${description.replaceAll('<', '&lt;')}.`]
  for (const [file, names] of specifiers) {
    const subpaths = names.map((one) => one.slice(name.length)).filter((subpath) => subpath !== '')
    if (subpaths.length > 0)
      parts.push(`### ${subpaths.map((subpath) => `\`${subpath}\``).join(', ')}`)
    if (names.some((one) => INTERNAL.has(one)))
      parts.push(
        "This entry point exists for Quillgate's own packages. Applications rarely need it.",
      )
    const exported = [...readModule(file, files).keys()]
    const entries = exported.map((one) => readExport(file, one, files))
    for (const isType of [false, true]) {
      const rows = entries.filter((one) => one.isType === isType).map(writeRow)
      if (rows.length > 0)
        parts.push(
          [`| ${isType ? 'Type' : 'Value'} | Description |`, '|---|---|', ...rows].join('\n'),
        )
    }
  }
  return parts
}

function writeRow({ name, sentence }: Entry): string {
  const text = sentence.replace(/\{@link ([^}]*)\}/g, '`$1`').replaceAll('|', '\\|')
  return `| \`${name}\` | ${text} |`
}

/** The source file of each specifier of Quillgate's packages. */
type Files = ReadonlyMap<string, string>

/** Where an exported name comes from: another module, or the text of this one. */
interface Origin {
  readonly isType: boolean
  readonly comment: string
  readonly from: { readonly file: string; readonly name: string } | null
}

function readModule(file: string, files: Files): ReadonlyMap<string, Origin> {
  const text = readFileSync(file, 'utf8')
  const origins = new Map<string, Origin>()
  for (const statement of parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }).body) {
    if (statement.type !== 'ExportNamedDeclaration') continue
    const { declaration, source, specifiers } = statement
    const [, comment = ''] = DOC_COMMENT.exec(text.slice(0, statement.start)) ?? []
    const isType = /^TS(Interface|TypeAlias)/.test(declaration?.type ?? '')
    // Overloads share the comment of the first one.
    for (const name of namesOf(declaration))
      if (!origins.has(name)) origins.set(name, { isType, comment, from: null })
    const target = source && (files.get(source.value) ?? join(dirname(file), source.value))
    for (const { local, exported, exportKind } of specifiers) {
      origins.set(nameOf(exported), {
        isType: [statement.exportKind, exportKind].includes('type'),
        comment,
        from: target === null ? null : { file: target, name: nameOf(local) },
      })
    }
  }
  return origins
}

// Comments for the linter may follow a doc comment.
const DOC_COMMENT = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(?:\/\/.*\s*)*$/

type Statement = ReturnType<typeof parseAst>['body'][number]
type Exports = Extract<Statement, { type: 'ExportNamedDeclaration' }>

function namesOf(declaration: Exports['declaration']): string[] {
  if (declaration === null) return []
  const declared =
    declaration.type === 'VariableDeclaration' ? declaration.declarations : [declaration]
  return declared.flatMap(({ id }) => (id?.type === 'Identifier' ? [id.name] : []))
}

function nameOf(name: Exports['specifiers'][number]['local']): string {
  return name.type === 'Literal' ? name.value : name.name
}

function readExport(file: string, name: string, files: Files): Entry {
  const origin = readModule(file, files).get(name)
  if (origin?.from) {
    const entry = readExport(origin.from.file, origin.from.name, files)
    return { ...entry, name, isType: entry.isType || origin.isType }
  }
  const sentence = firstSentence(origin?.comment ?? '')
  if (!origin || sentence === '') throw new Error(`${file}: ${name} has no doc comment`)
  return { name, sentence, isType: origin.isType }
}

/** Returns the first sentence of a doc comment. Inline code does not end it. */
function firstSentence(comment: string): string {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\* ?/, '').trim())
  const [paragraph = ''] = lines
    .join('\n')
    .trim()
    .split(/\n\n|\n@/)
  const text = paragraph.replaceAll('\n', ' ')
  return /^(?:`[^`]*`|[^`])*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text
}
