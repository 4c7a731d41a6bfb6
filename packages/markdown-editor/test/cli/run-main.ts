import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

export interface ProgramResult {
  /** Exit code, or null if the process was killed. */
  readonly code: number | null
  readonly out: string
  readonly error: string
}

/** Runs the program in `folder`, which is also QUILLGATE_TEST_FOLDER. */
export function runMain(
  folder: string,
  args: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const env = { ...process.env, QUILLGATE_TEST_FOLDER: folder, ...variables }
    const flags = [
      '--disable-warning=ExperimentalWarning',
      '--conditions=@quillgate/source',
      main,
      ...args,
    ]
    execFile(process.execPath, flags, { cwd: folder, env }, (error, out, errors) => {
      const code = error ? (typeof error.code === 'number' ? error.code : null) : 0
      resolve({ code, out, error: errors })
    })
  })
}
