import { afterAll, describe, it } from 'vitest'
import { mariadbEngine, type TestEngine } from './engines.ts'

/** A Galera cluster for tests. */
export interface TestCluster {
  /** Creates databases on the first node. */
  readonly engine: TestEngine
  /** Returns the URLs of a database on all nodes, the first node first. */
  urlsOf(url: string): string[]
}

/**
 * Defines tests that need a Galera cluster. `QUILLGATE_TEST_GALERA_URLS` lists the URLs of its
 * nodes, separated by commas: `mysql://root@127.0.0.1:3401/q,mysql://root@127.0.0.1:3402/q`.
 * Without the variable, there is one skipped test.
 */
export function describeGalera(tests: (cluster: TestCluster) => void): void {
  const nodes = (process.env['QUILLGATE_TEST_GALERA_URLS'] ?? '')
    .split(',')
    .filter((url) => url !== '')
  const [first] = nodes
  describe('galera', () => {
    if (first === undefined) {
      it('answers', (context) => context.skip('QUILLGATE_TEST_GALERA_URLS names no nodes'))
      return
    }
    const engine = mariadbEngine(first)
    afterAll(() => engine.close())
    tests({
      engine,
      urlsOf: (url) =>
        nodes.map((node) => Object.assign(new URL(node), { pathname: new URL(url).pathname }).href),
    })
  })
}
