import { sqliteEngine } from '@quillgate/database/testing'
import { describe } from 'vitest'
import { describeKills } from './describe-kills.ts'
import { finalizing, uploads } from './scenarios/index.ts'

describe('a kill before and after each call of uploads and finalizing', () => {
  describeKills(sqliteEngine(), [...uploads, ...finalizing], () => ({ files: false, points: 'gaps', retries: 'both' }))
})

describe('a kill at system calls of the storage', () => {
  const chosen = [...uploads, ...finalizing].filter(({ name }) => ['upload', 'finalize'].includes(name))
  describeKills(sqliteEngine(), chosen, () => ({ files: true, points: 'gaps', retries: 'either', step: 3 }))
})
