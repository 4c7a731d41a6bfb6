import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export type Answer = { readonly result: unknown } | { readonly error: string }

/** The functions that another process can call. Arguments and results are sent as JSON. */
type Callable<Module> = {
  readonly [Name in keyof Module as Module[Name] extends (...args: never[]) => unknown
    ? Name
    : never]: Module[Name]
}

/**
 * Runs a module in its own Node process. Compiled code and garbage of one contender therefore do
 * not slow another contender down.
 *
 * @example
 * const isolate = new Isolate<typeof import('./speed.isolate.ts')>(new URL('./speed.isolate.ts', import.meta.url))
 * await isolate.call('time', 3)
 */
export class Isolate<Module extends object> {
  readonly #process: ChildProcess

  /** @param module - the file whose exported functions are called */
  constructor(module: URL) {
    const main = fileURLToPath(new URL('./isolate-process.ts', import.meta.url))
    this.#process = fork(main, [module.href], { execArgv: ['--expose-gc'] })
  }

  /**
   * Calls a function of the module. Only one call may run at a time.
   *
   * @throws Error with the stack of the function's error, or if the process ends before it answers
   */
  call<Name extends keyof Callable<Module> & string>(
    name: Name,
    ...args: Parameters<Extract<Module[Name], (...args: never[]) => unknown>>
  ): Promise<Awaited<ReturnType<Extract<Module[Name], (...args: never[]) => unknown>>>> {
    return new Promise((resolve, reject) => {
      const onExit = (code: number | null): void =>
        reject(new Error(`The process of ${name} ended (${code}).`))
      this.#process.once('exit', onExit)
      this.#process.once('message', (answer: Answer) => {
        this.#process.off('exit', onExit)
        if ('error' in answer) reject(new Error(answer.error))
        else resolve(answer.result as never)
      })
      this.#process.send({ name, args })
    })
  }

  /** Ends the process. Also works during a call. */
  stop(): void {
    this.#process.kill('SIGKILL')
  }
}
