import { describeDatabases } from '@quillgate/server/testing/suites'
import { it } from 'vitest'
import { STORM, stormOn } from '../support/storm.ts'

describeDatabases((engine) => {
  it(
    `${STORM} on two nodes never exceed the limit, and no request fails`,
    () => stormOn(engine, (url) => [url, url]),
    120_000,
  )
})
