import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

// The guides that start with a complete file. several-nodes.ts needs PostgreSQL, Redis and S3, and
// s3-and-cdn.ts needs S3, so they are only type-checked.
const FIRST_FILES = [
  ['server', 'express'],
  ['markdown-editor', 'express-editor'],
  ['moving-from-easymde', 'express-editor'],
  ['markdown-editor-orm', 'kysely-cleanup'],
  ['trusted-devices', 'express-devices'],
  ['storage', 'storage'],
  ['media', 'media'],
  ['s3-and-cdn', 's3-and-cdn'],
  ['behind-a-proxy', 'behind-a-proxy'],
  ['markdown-editor-drafts', 'drafts'],
  ['trusted-devices-guards', 'guarded-route'],
  ['trusted-devices-outbox', 'outbox'],
  ['trusted-devices-privacy', 'privacy'],
  ['login-alerts', 'login-alerts'],
  ['trusted-devices-admin', 'device-administration'],
  ['trusted-devices-browser', 'device-list'],
  ['trusted-devices-location', 'locate-logins'],
  ['trusted-devices-nodes', 'several-nodes'],
] as const

const FRAMEWORKS = ['node', 'express', 'fastify', 'koa', 'hono', 'h3', 'nestjs', 'next'] as const

describe('the first file of a guide', () => {
  it.each(FIRST_FILES)('%s is examples/%s.ts, which starts a server', (guide, example) => {
    const text = readFileSync(join(root, 'apps', 'docs', `${guide}.md`), 'utf8')
    const [, file] = /^(?:<<< (.+)|```ts)$/m.exec(text) ?? []
    expect(file).toBe(`../../examples/${example}.ts`)
    const code = readFileSync(join(root, 'examples', `${example}.ts`), 'utf8')
    expect(code).toMatch(/^if \(import\.meta\.main\) app\.listen\(/m)
  })
})

describe('the examples in a guide', () => {
  it.each([
    ['rendering', 'rendering/renderer'],
    ['database', 'database'],
  ])('%s.md starts with %s.ts', (guide, example) => {
    const text = readFileSync(join(root, 'apps', 'docs', `${guide}.md`), 'utf8')
    expect(/^<<< (.+)$/m.exec(text)?.[1]).toBe(`../../examples/${example}.ts`)
  })

  it.each([
    ['rendering', 'wiki'],
    ['rendering', 'wiki-renderer'],
    ['rendering', 'wiki-preview'],
    ['markdown-editor', 'no-huge-pictures'],
    ['markdown-editor', 'post-admin'],
    ['media', 'smaller-images'],
    ['markdown-editor-browser', 'completions'],
    ['storage', 'storage-suite'],
    ['trusted-devices-guards', 'step-up'],
    ['trusted-devices-guards', 'token-login'],
    ['trusted-devices', 'receivers'],
    ['trusted-devices-admin', 'two-instances'],
  ])('%s.md includes %s.ts', (guide, example) => {
    const text = readFileSync(join(root, 'apps', 'docs', `${guide}.md`), 'utf8')
    expect(text).toContain(`\n<<< ../../examples/${example}.ts\n`)
  })

  it.each(FRAMEWORKS)('frameworks/%s.md includes an example of its framework', (name) => {
    const guide = readFileSync(join(root, 'apps', 'docs', 'frameworks', `${name}.md`), 'utf8')
    const [, file = ''] = /^<<< \.\.\/\.\.\/\.\.\/(.+)$/m.exec(guide) ?? []
    expect(file).toContain(`examples/${name}`)
    expect(existsSync(join(root, file))).toBe(true)
    if (name === 'next') return // `next dev` starts it.
    expect(readFileSync(join(root, file), 'utf8')).toMatch(/^if \(import\.meta\.main\) /m)
  })

  it('README.md contains express.ts, word for word', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8')
    const example = readFileSync(join(root, 'examples', 'express.ts'), 'utf8')
    expect(readme).toContain(example.trim())
  })
})
