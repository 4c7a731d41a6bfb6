import { afterEach } from 'vitest'
import { openEditor, type TestEditor } from './editor-fixture.ts'

/** Opens editors for the tests of a file, and closes them after each test. */
export function useEditors(): {
  /** Called after each test in reverse order. */
  readonly cleanups: (() => Promise<void>)[]
  open(...args: Parameters<typeof openEditor>): Promise<TestEditor>
} {
  const cleanups: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp()
  })
  return {
    cleanups,
    async open(...args) {
      const opened = await openEditor(...args)
      cleanups.push(opened.close)
      return opened
    },
  }
}
