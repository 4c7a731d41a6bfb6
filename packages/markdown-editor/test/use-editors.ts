import { afterEach } from 'vitest'
import { openEditor, type TestEditor } from './editor-fixture.ts'

/** Editors of one test file, closed behind each of its tests. */
export function useEditors(): {
  /** What else is to be ended, the latest first. */
  readonly ends: (() => Promise<void>)[]
  open(...args: Parameters<typeof openEditor>): Promise<TestEditor>
} {
  const ends: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })
  return {
    ends,
    async open(...args) {
      const opened = await openEditor(...args)
      ends.push(opened.close)
      return opened
    },
  }
}
