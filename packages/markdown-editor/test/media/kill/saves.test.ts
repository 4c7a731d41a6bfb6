import { sqliteEngine } from '@quillgate/server/testing'
import { describe } from 'vitest'
import { describeKills } from './describe-kills.ts'
import { saving, separate } from './scenarios/index.ts'

describe('a kill before and after each call of saves', () => {
  describeKills(sqliteEngine(), saving, ({ name }) => ({
    ...{ files: false, points: 'gaps' },
    retries: name.startsWith('save: change') ? 'both' : 'either',
  }))
})

// Each save makes three times as many calls here; `npm run verify:long -- kill` tries all of them.
describe('a kill at calls of saves into another database', () => {
  describeKills(sqliteEngine(), separate, () => ({
    files: false,
    points: 'gaps',
    retries: 'either',
    step: 3,
  }))
})
