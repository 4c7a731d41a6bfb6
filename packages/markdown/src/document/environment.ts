import type { DocumentState, LinkDefinition } from './document-state.ts'

/** What markdown-it hands to every rule. */
export type Environment = { [key: string | symbol]: unknown }

const stateKey = Symbol('document state')
const blockKey = Symbol('block notes')

/** What the block rules note while they read one top-level block. */
export interface BlockNotes {
  /** Normalized labels of the footnotes it defines. */
  readonly footnotes: Set<string>
  /** Cells that were added to tables because a row was shorter than its header, in this block and those before it. */
  emptyCells: number
}

/** The environment of the block rules. */
export function createBlockEnvironment(emptyCells: number): Environment {
  return { references: {}, [blockKey]: { footnotes: new Set(), emptyCells } satisfies BlockNotes }
}

/**
 * What the block rules note.
 *
 * @throws TypeError when no block environment was the origin of this one
 */
export function notesOf(environment: Environment): BlockNotes {
  const notes = environment[blockKey]
  if (notes === undefined) throw new TypeError('The environment has no block notes.')
  return notes as BlockNotes
}

/**
 * The environment of the inline and core rules: link references are looked up in the document.
 *
 * @param environment - what becomes it
 */
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

/**
 * The document that is being rendered.
 *
 * @throws TypeError while blocks are read
 */
export function documentOf(environment: Environment): DocumentState {
  const state = environment[stateKey]
  if (state === undefined) throw new TypeError('The environment has no document.')
  return state as DocumentState
}
