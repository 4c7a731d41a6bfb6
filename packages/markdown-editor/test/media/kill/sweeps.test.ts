import { sqliteEngine } from '@quillgate/server/testing'
import { describe } from 'vitest'
import { describeKills } from './describe-kills.ts'
import { deleting, sweeping } from './scenarios/index.ts'

describe('a kill before and after each call of deletions and sweeps', () => {
  describeKills(sqliteEngine(), [...deleting, ...sweeping], () => ({
    files: false,
    points: 'gaps',
    retries: 'either',
  }))
})
