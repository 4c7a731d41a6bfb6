// Rejects commits whose subject is longer than 72 characters. Ignores commits that are older than
// this rule.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const LAST_BEFORE_THE_RULE = '6072b84f32d36c0da0a0418b2bd9861b0f6c1223'
const MAX_LENGTH = 72

const range = `${LAST_BEFORE_THE_RULE}..HEAD`
const { status, stdout } = spawnSync('git', ['log', '--format=%s', range], { encoding: 'utf8' })
if (status !== 0) {
  console.log(`commits: not checked, because this copy does not contain ${LAST_BEFORE_THE_RULE}`)
  process.exit(existsSync('.git') ? 1 : 0)
}
const subjects = stdout.split('\n').filter(Boolean)
const long = subjects.filter((subject) => subject.length > MAX_LENGTH)
for (const subject of long) console.error(`Longer than ${MAX_LENGTH} characters: ${subject}`)
console.log(`commits: ${subjects.length} checked`)
process.exit(long.length > 0 ? 1 : 0)
