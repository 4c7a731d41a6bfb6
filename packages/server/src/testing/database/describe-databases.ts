import { afterAll, describe, it } from 'vitest'
import type { Dialect } from '../../database/types.ts'
import {
  mariadbEngine,
  postgresEngine,
  sqliteEngine,
  type TestEngine,
  testServers,
  whyUnavailable,
} from './engines.ts'

/**
 * Defines the same tests for SQLite, PostgreSQL and MariaDB. If a server does not answer, a single
 * skipped test shows the reason. With `QUILLGATE_REQUIRE_SERVICES=1`, this test fails instead.
 * {@link testServers} returns the URLs of the servers.
 *
 * @param engines the engines to test; omit SQLite in tests that need a server
 * @example
 * describeDatabases((engine) => {
 *   it('keeps what was written', async () => {
 *     const { database, close } = await engine.open<Tables>()
 *     …
 *     await close()
 *   })
 * })
 */
export function describeDatabases(
  tests: (engine: TestEngine) => void,
  engines: readonly Dialect[] = ['sqlite', 'postgres', 'mariadb'],
): void {
  const { postgres, mariadb } = testServers()
  if (engines.includes('sqlite')) describe('sqlite', () => runTests(sqliteEngine(), tests))
  if (engines.includes('postgres')) describeServer(postgresEngine(postgres), postgres, tests)
  if (engines.includes('mariadb')) describeServer(mariadbEngine(mariadb), mariadb, tests)
}

function describeServer(
  engine: TestEngine,
  url: string,
  tests: (engine: TestEngine) => void,
): void {
  describe(engine.name, async () => {
    const reason = await whyUnavailable(url)
    if (reason === null) return runTests(engine, tests)
    it('answers', (context) => {
      const message = `${engine.name} does not answer: ${reason}`
      if (process.env['QUILLGATE_REQUIRE_SERVICES'] === '1') throw new Error(message)
      context.skip(message)
    })
  })
}

function runTests(engine: TestEngine, tests: (engine: TestEngine) => void): void {
  afterAll(() => engine.close())
  tests(engine)
}
