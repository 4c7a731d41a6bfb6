import { sqliteEngine } from '@quillgate/server/testing'
import { describe } from 'vitest'
import { describeKills } from './describe-kills.ts'
import { finalizing, uploads } from './scenarios/index.ts'

const chosen = [...uploads, ...finalizing].filter(({ name }) =>
  ['upload, finalize and save', 'finalize'].includes(name),
)

describe('a kill before and after each call of uploads and finalizing', () => {
  describeKills(sqliteEngine(), [...uploads, ...finalizing], (scenario) => ({
    ...{ files: false, points: 'gaps' },
    retries: chosen.includes(scenario) ? 'both' : 'either',
  }))
})

describe('a kill at system calls of the storage', () => {
  describeKills(sqliteEngine(), chosen, () => ({
    files: true,
    points: 'gaps',
    retries: 'either',
    step: 3,
  }))
})

describe('a power failure at system calls of the storage, which loses unsynced data', () => {
  describeKills(sqliteEngine(), chosen, () => ({
    ...{ files: true, isPowerFailure: true },
    ...{ points: 'gaps', retries: 'either', step: 2 },
  }))
})
