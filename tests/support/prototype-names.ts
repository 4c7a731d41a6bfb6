import { describe, expect, it } from 'vitest'

/** Names of properties that every object inherits. A lookup in a plain object finds these names. */
export const PROTOTYPE_NAMES = [
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  'valueOf',
] as const

/** Returns an object with this own property. Also works for `__proto__`. */
export const withMember = (name: string, value: unknown = 1): object =>
  Object.fromEntries([[name, value]])

/**
 * Tests that each lookup treats {@link PROTOTYPE_NAMES} like unknown words of the same length.
 *
 * @param outcome runs a lookup with a word. Returns the result, but leaves out the word.
 */
export function describeLookUps<LookUp>(
  lookUps: Readonly<Record<string, LookUp>>,
  outcome: (lookUp: LookUp, word: string) => Promise<string>,
): void {
  describe.each(PROTOTYPE_NAMES)('%s is treated like an unknown name', (name) => {
    it.each(Object.entries(lookUps))('as %s', async (_what, lookUp) => {
      expect(await outcome(lookUp, name)).toBe(
        await outcome(lookUp, name.replaceAll(/[a-z]/gi, 'q')),
      )
    })
  })
}

/** Runs a command line, and returns its exit code and its output. */
export async function runQuietly(
  runCli: (args: readonly string[], environment: never) => Promise<number>,
  args: readonly string[],
): Promise<unknown> {
  const output: string[] = []
  const write = (text: string): void => void output.push(text)
  return [await runCli(args, { write, writeError: write, folder: '/nowhere' } as never), output]
}
