import { describeDatabases } from '@quillgate/server/testing/suites'
import { describe } from 'vitest'
import { describeKills } from './describe-kills.ts'
import { scenarios } from './scenarios/index.ts'

const CHOSEN = [
  'finalize',
  'save: change, orphanGrace 0',
  'save: insert',
  'two sweeps and a concurrent save',
]

// Kills at a sample of the calls. `npm run verify:long -- kill` tries all calls.
describe('a kill at calls on a database server', () => {
  describeDatabases(
    (engine) => {
      const chosen = scenarios.filter(({ name }) => CHOSEN.includes(name))
      describeKills(engine, chosen, () => ({
        files: false,
        points: 'gaps',
        retries: 'either',
        step: 13,
      }))
    },
    ['postgres', 'mariadb'],
  )
})
