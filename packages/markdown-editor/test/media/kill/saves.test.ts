import { sqliteEngine } from '@quillgate/server/testing'
import { describe } from 'vitest'
import { describeKills } from './describe-kills.ts'
import { saving } from './scenarios/index.ts'

describe('a kill before and after each call of saves', () => {
  describeKills(sqliteEngine(), saving, ({ name }) => ({
    ...{ files: false, points: 'gaps' },
    retries: name.startsWith('save: change') ? 'both' : 'either',
  }))
})
