import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A block of TypeScript in a guide. */
export interface CodeBlock {
  /** The path of the guide, for example `apps/docs/trusted-devices.md`. */
  readonly guide: string
  /** The line of the guide on which the code begins. */
  readonly line: number
  readonly code: string
}

const GUIDES = [
  'apps/docs/{login-alerts,media,moving-from-easymde,server,trusted-devices*}.md',
  'packages/*/README.md',
]
const FENCE = /^```ts(?: (\w+))?\n([\s\S]*?)^```$/gm

/**
 * Returns the blocks with the language `ts` or `ts options`. Blocks with `ts options` contain only
 * options of `createTrustedDevices`.
 *
 * @throws Error for another word after `ts`
 */
export function findBlocks(root: string): CodeBlock[] {
  const guides = GUIDES.flatMap((pattern) => globSync(pattern, { cwd: root })).sort()
  return guides.flatMap((guide) => {
    const text = readFileSync(join(root, guide), 'utf8')
    return [...text.matchAll(FENCE)].map((found) => {
      const [, kind, code = ''] = found
      if (kind !== undefined && kind !== 'options')
        throw new Error(`${guide}: a block is marked "ts ${kind}"`)
      const line = text.slice(0, found.index).split('\n').length + 1
      return {
        guide,
        line,
        code: kind === 'options' ? `createTrustedDevices(gate, { ...options,\n${code}})\n` : code,
      }
    })
  })
}
