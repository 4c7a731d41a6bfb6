import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CodeBlock, findBlocks } from './blocks.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const folder = join(root, '.vitest', 'code-blocks') // In the repository, so that imports resolve.
const blocks = findBlocks(root)

const TSCONFIG = {
  extends: '../../tsconfig.base.json',
  compilerOptions: {
    composite: false,
    declaration: false,
    declarationMap: false,
    sourceMap: false,
    isolatedDeclarations: false,
    noEmit: true,
    rewriteRelativeImportExtensions: false,
    allowImportingTsExtensions: true,
    noUnusedLocals: false, // Examples declare values that they do not use.
    noUnusedParameters: false,
    noImplicitReturns: false, // Express routes may return anything.
    types: ['node', 'express', 'express-session'],
    lib: ['ES2024', 'DOM', 'DOM.Iterable'],
  },
  include: ['*.ts', '../../tests/docs/code-blocks/*.d.ts'],
}

const fileOf = (block: CodeBlock): string =>
  `${block.guide.replaceAll(/\W+/g, '-')}-${block.line}.ts`

describe('the code in the guides', () => {
  let problems: string[] = []

  beforeAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
    writeFileSync(join(folder, 'receivers.ts'), 'export {}\n') // Several blocks import it.
    for (const block of blocks)
      writeFileSync(join(folder, fileOf(block)), `${block.code}export {}\n`)
    problems = (await typeCheck(folder))
      .split(/\n(?=\S)/)
      .filter((line) => line.includes('error TS'))
  }, 300_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each(blocks.map((block) => [`${block.guide}:${block.line}`, block] as const))(
    '%s type-checks',
    (_, block) => {
      expect(problems.filter((problem) => problem.includes(fileOf(block)))).toEqual([])
    },
  )

  it('contains all type errors that the check reports', () => {
    expect(blocks.length).toBeGreaterThan(20)
    // Ignores errors in the packages, because `npm run check` checks them with their own libraries.
    const ours = [/^packages/, ...blocks.map((block) => new RegExp(fileOf(block)))]
    expect(problems.filter((problem) => !ours.some((name) => name.test(problem)))).toEqual([])
  })
})

/** Returns the output of the compiler. */
function typeCheck(project: string): Promise<string> {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [tsc, '-p', project, '--pretty', 'false'],
      { cwd: root, maxBuffer: 1e7 },
      (_, out, err) => resolve(out + err),
    )
  })
}
