import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Files that take half a minute or more on two cores, slowest first.
const SLOWEST = [
  'media/model/lifecycle.property.test.ts',
  'e2e/rendering-attacks.test.ts',
  'markdown/test/pathological.security.test.ts',
  'highlighting/pathological.security.test.ts',
  'model/registry.property.test.ts',
  'preview/preview-bytes.browser.test.ts',
  'attacks/second-layer.security.test.ts',
  'attacks/corpus.security.test.ts',
  'e2e/editor.test.ts',
  'devices/test/kill/kill.test.ts',
  'devices/test/kill/random.test.ts',
  'http/hostile/hostile-upload.test.ts',
  'attacks/fuzz.security.test.ts',
]

/**
 * Starts the slowest files first, so that no slow file runs alone at the end. The other files
 * follow in the order of Vitest. Vitest has the durations of files only after an earlier run.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = SLOWEST.findIndex((name) => moduleId.endsWith(name))
      return place === -1 ? SLOWEST.length : place
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
