import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { articleMixture, commentMixture, generate } from './generated.ts'

export interface CorpusDocument {
  readonly kind: DocumentKind
  /** The path of a file, or the kind and the number of a generated text. */
  readonly name: string
  readonly text: string
}

/** The kind of a document. The last three kinds are generated texts. */
export type DocumentKind = 'specification' | 'project' | 'readme' | 'comment' | 'article' | 'long'

const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Returns all documents. They are the CommonMark specification, files of this project, READMEs of
 * dependencies, and generated texts. The lock file fixes the versions of the READMEs.
 */
export function readDocuments(): CorpusDocument[] {
  return [
    ...read('specification', ['node_modules/commonmark-spec/spec.txt']),
    ...read('project', [
      'README.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      ...filesOf('apps/docs'),
      ...filesOf('docs/decisions'),
    ]),
    ...read('readme', readmes('benchmarks/node_modules')),
    ...repeat(60, (seed) => ['comment', generate(seed, 1_000, commentMixture)]),
    ...repeat(20, (seed) => ['article', generate(seed, 10_000, articleMixture)]),
    ...repeat(1, (seed) => ['long', generate(seed, 100_000, articleMixture)]),
  ]
}

export function describeDocuments(documents: readonly CorpusDocument[]): string {
  const kinds = [...Map.groupBy(documents, ({ kind }) => kind)]
  const parts = kinds.map(([kind, some]) => `${some.length} ${kind} ${kilobytes(some)}`)
  return `${documents.length} documents, ${kilobytes(documents)}: ${parts.join(', ')}`
}

/** Returns the size of documents in UTF-8, in bytes. */
export function sizeOf(documents: readonly CorpusDocument[]): number {
  return documents.reduce((size, { text }) => size + Buffer.byteLength(text), 0)
}

function kilobytes(documents: readonly CorpusDocument[]): string {
  return `${Math.round(sizeOf(documents) / 1000)} kB`
}

function read(kind: DocumentKind, names: readonly string[]): CorpusDocument[] {
  return names.map((name) => ({ kind, name, text: readFileSync(`${root}${name}`, 'utf8') }))
}

function filesOf(folder: string): string[] {
  const names = readdirSync(`${root}${folder}`).filter((name) => name.endsWith('.md'))
  return names.sort().map((name) => `${folder}/${name}`)
}

function readmes(folder: string): string[] {
  const packages = readdirSync(`${root}${folder}`).flatMap((name) =>
    name.startsWith('@') ? readdirSync(`${root}${folder}/${name}`).map((part) => `${name}/${part}`) : [name],
  )
  return packages
    .sort()
    .map((name) => `${folder}/${name}/README.md`)
    .filter((path) => existsSync(`${root}${path}`))
}

function repeat(count: number, make: (seed: number) => [kind: DocumentKind, text: string]): CorpusDocument[] {
  return Array.from({ length: count }, (_, index) => {
    const [kind, text] = make(index + 1)
    return { kind, name: `${kind} ${index + 1}`, text }
  })
}
