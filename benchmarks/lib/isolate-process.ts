// The child process of an Isolate. Imports the module that the command line names, and calls its
// functions one by one.
import type { Answer } from './isolate.ts'

const module = (await import(process.argv[2] ?? '')) as Record<
  string,
  (...args: unknown[]) => unknown
>

process.on('message', async ({ name, args }: { name: string; args: unknown[] }) => {
  process.send?.(await answer(name, args))
})

async function answer(name: string, args: unknown[]): Promise<Answer> {
  try {
    return { result: (await module[name]?.(...args)) ?? null }
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
