import { describeDatabases } from '@quillgate/server/testing/suites'
import { it } from 'vitest'
import { STORM, stormOn } from '../support/storm.ts'

describeDatabases((engine) => {
  it(
    `${STORM} on two nodes: never over the limit, no error`,
    () => stormOn(engine, (url) => [url, url]),
    120_000,
  )
})
