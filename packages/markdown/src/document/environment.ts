import type { Definitions, DocumentState, LinkDefinition } from './document-state.ts'

/** The `env` object that markdown-it passes to every rule. */
export type Environment = { [key: string | symbol]: unknown }

const stateKey = Symbol('document state')
const blockKey = Symbol('block notes')

/** The data that the block rules record for one top-level block, in addition to its tokens. */
interface BlockNotes {
  readonly footnotes: Set<string>
  /** The number of empty cells in the bodies of tables, in this block and earlier blocks. */
  emptyCells: number
}

/** Creates the environment of a top-level block. `emptyCells` is the count of the blocks before. */
export function createBlockEnvironment(emptyCells: number): Environment {
  return { references: {}, [blockKey]: { footnotes: new Set(), emptyCells } satisfies BlockNotes }
}

/** Returns the data that the block rules recorded. */
export function notesOf(environment: Environment): BlockNotes {
  return environment[blockKey] as BlockNotes
}

/** Returns the definitions that the block rules found. */
export function definitionsOf(environment: Environment): Definitions {
  const references = environment['references'] as Record<string, LinkDefinition>
  return { links: new Map(Object.entries(references)), footnotes: notesOf(environment).footnotes }
}

/** Prepares an environment for inline and core rules. They look up link references in `state`. */
export function toInlineEnvironment(
  state: DocumentState,
  environment: Environment = {},
): Environment {
  const references = new Proxy<Record<string, LinkDefinition>>(
    {},
    { get: (_, label) => (typeof label === 'string' ? state.link(label) : undefined) },
  )
  return Object.assign(environment, { references, [stateKey]: state })
}

/** Returns the state of the document whose inline content is being parsed or written. */
export function documentOf(environment: Environment): DocumentState {
  return environment[stateKey] as DocumentState
}
